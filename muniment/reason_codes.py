"""The closed list of reasons: why something was added, lost, refused or failed.

Each book entry, loss and stage failure carries one of these codes (reliability-ecosystem, section 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "minor", "major", "critical"]
Use = Literal["refusal", "failure", "loss", "addition", "review"]


@dataclass(frozen=True)
class Reason:
    """One reason: what it is used for, how bad it is by default, and what a person can do."""

    code: str
    use: Use
    severity: Severity
    description: str
    advice: str
    transient: bool = False


def _reason(
    code: str, use: Use, severity: Severity, description: str, advice: str, *, transient: bool = False
) -> Reason:
    return Reason(code, use, severity, description, advice, transient)


_ALL = (
    # refusals of intake
    _reason("symlink_refused", "refusal", "info", "symbolic link", "put the file itself into the source"),
    _reason("not_a_regular_file", "refusal", "info", "device, socket or fifo", "put a regular file into the source"),
    _reason("unreadable_file", "refusal", "major", "the file cannot be opened", "check its permissions and scan again"),
    _reason(
        "changing_file",
        "refusal",
        "minor",
        "the file changed while it was read",
        "scan again when it is complete",
        transient=True,
    ),
    _reason(
        "file_too_large",
        "refusal",
        "major",
        "larger than intake.max_file_bytes",
        "raise intake.max_file_bytes or split the file",
    ),
    _reason("name_not_utf8", "refusal", "minor", "the file name is not valid UTF-8", "rename the file"),
    # failures of stages
    _reason(
        "unsupported_type", "failure", "major", "no reader for this type of file", "convert it to a supported format"
    ),
    _reason(
        "type_mismatch", "failure", "major", "the content is not what the name says", "rename the file to its real type"
    ),
    _reason("empty_file", "failure", "major", "the file has no bytes", "check the source"),
    _reason(
        "empty_result",
        "failure",
        "critical",
        "the reader found no text",
        "open the original; it may need OCR or another format",
    ),
    _reason("no_text_layer", "failure", "critical", "pages without a text layer", "run OCR and ingest the result"),
    _reason(
        "password_protected", "failure", "critical", "the file is encrypted", "remove the password and ingest again"
    ),
    _reason("corrupt_file", "failure", "critical", "the file is damaged", "get an intact copy"),
    _reason(
        "reader_error", "failure", "critical", "the reader raised an error", "report the file; convert it meanwhile"
    ),
    _reason(
        "reader_crashed", "failure", "critical", "the reader's process died", "report the file; convert it meanwhile"
    ),
    _reason(
        "time_limit",
        "failure",
        "critical",
        "wall time limit reached",
        "raise workers.wall_seconds or split the file",
        transient=True,
    ),
    _reason(
        "cpu_limit", "failure", "critical", "CPU time limit reached", "raise workers.cpu_seconds or split the file"
    ),
    _reason(
        "memory_limit", "failure", "critical", "memory limit reached", "raise workers.memory_bytes or split the file"
    ),
    _reason(
        "output_limit",
        "failure",
        "critical",
        "the result exceeds the output limit",
        "raise workers.output_bytes or split the file",
    ),
    _reason(
        "archive_limit",
        "failure",
        "critical",
        "the archive inside the file is too large, deep or dense",
        "check the file; it may be hostile",
    ),
    _reason(
        "xml_dtd_forbidden",
        "failure",
        "critical",
        "the file declares a DTD or entities",
        "remove the DOCTYPE; it may be hostile",
    ),
    _reason(
        "stage_error",
        "failure",
        "critical",
        "the stage raised an error for this version",
        "see the run's log and report it",
    ),
    _reason("upstream_failed", "failure", "info", "an earlier stage has no result", "see the earlier stage"),
    _reason(
        "not_processed",
        "failure",
        "info",
        "not yet taken through all stages",
        "run the pending batches",
        transient=True,
    ),
    _reason("deleted_on_request", "failure", "info", "deleted by a tombstone", "none"),
    # losses of extraction
    _reason(
        "text_missing",
        "loss",
        "major",
        "text the counter found and the reader did not",
        "compare the original at the place named",
    ),
    _reason(
        "text_invented",
        "loss",
        "major",
        "text of the reader that the counter did not find",
        "compare the original at the place named",
    ),
    _reason(
        "hidden_text_kept_apart",
        "loss",
        "minor",
        "text not visible in the original",
        "read it before relying on the document",
    ),
    _reason("boilerplate_removed", "loss", "info", "running heads, feet or navigation", "none"),
    _reason("markup_removed", "loss", "info", "marks of the format that are not text", "none"),
    _reason(
        "tracked_deletion",
        "loss",
        "info",
        "text deleted by a tracked change",
        "accept or reject the changes in the original",
    ),
    _reason("comment_kept_apart", "loss", "info", "comment, not part of the text", "none"),
    _reason("page_without_text", "loss", "major", "page without a text layer", "run OCR and ingest the result"),
    _reason("blank_page", "loss", "info", "page without any content", "none"),
    _reason("page_unreadable", "loss", "major", "page that the reader cannot open", "get an intact copy"),
    _reason("encoding_replaced", "loss", "major", "bytes that do not decode", "save the file as UTF-8"),
    _reason("encoding_guessed", "loss", "minor", "the encoding is not stated", "save the file as UTF-8"),
    _reason("attachment_skipped", "loss", "major", "attachment not read", "ingest the attachment as a file"),
    _reason("alternative_body", "loss", "info", "the other body of the mail says the same", "none"),
    _reason(
        "alternative_body_differs",
        "loss",
        "major",
        "the other body of the mail says something else",
        "read both bodies",
    ),
    _reason(
        "image_not_read",
        "loss",
        "minor",
        "picture without text; its content is not read",
        "add a caption or alternative text",
    ),
    _reason("chart_not_read", "loss", "major", "chart data not read", "add the data as a table"),
    _reason("math_flattened", "loss", "minor", "formula kept as plain text", "compare the original"),
    _reason("textbox_missing", "loss", "major", "text box not read", "move the text into the body"),
    _reason(
        "formula_without_value",
        "loss",
        "major",
        "formula without a stored result",
        "open and save the file in a spreadsheet program",
    ),
    _reason("number_format_applied", "loss", "info", "number shown as formatted; raw value beside it", "none"),
    _reason("table_flattened", "loss", "major", "table read as text", "compare the original"),
    _reason(
        "nested_table_flattened",
        "loss",
        "minor",
        "table inside a table read as text of its cell",
        "compare the original",
    ),
    _reason(
        "far_cells_skipped", "loss", "minor", "cells beyond the limit of rows or columns", "raise extraction.max_cells"
    ),
    _reason(
        "cell_overwritten",
        "loss",
        "major",
        "another cell of the file has the same place; the last is shown",
        "open and save the file in a spreadsheet program",
    ),
    _reason("broken_characters", "loss", "major", "characters without a Unicode value", "run OCR or get another copy"),
    _reason("unknown_markup", "loss", "minor", "part of the file that no reader handles", "compare the original"),
    _reason("layout_table", "loss", "info", "table used for page layout; its text is read in order", "none"),
    _reason(
        "counter_failed",
        "loss",
        "major",
        "the independent counter failed: text is not checked against the original",
        "report the file; compare the original",
    ),
    _reason("metadata_invalid", "loss", "minor", "a stated value that cannot be read", "correct it in the original"),
    # losses of later stages
    _reason(
        "language_without_pipeline",
        "loss",
        "minor",
        "no language pipeline: sentences and tokens only",
        "install a pipeline and name it in nlp.pipelines",
    ),
    _reason("language_unknown", "loss", "minor", "language not recognised", "state the language in the metadata"),
    _reason("sentence_too_long", "loss", "minor", "sentence cut at the pipeline's limit", "none"),
    _reason(
        "forced_cut", "loss", "minor", "cut inside a sentence, because of the hard maximum", "raise chunking.max_tokens"
    ),
    _reason("entity_span_cut", "loss", "minor", "named entity cut by a chunk boundary", "raise chunking.max_tokens"),
    _reason("figure_skipped", "loss", "info", "figures get no context", "none"),
    _reason("context_failed", "loss", "minor", "the model gave no usable context", "see model_answers"),
    _reason("mention_filtered", "loss", "info", "span that names nothing (pronoun, number, stop word)", "none"),
    _reason(
        "no_language_pipeline",
        "loss",
        "minor",
        "mentions from patterns, citations and definitions only; no claims from sentences",
        "install a pipeline for the language and name it in nlp.pipelines",
    ),
    _reason("pattern_across_sentences", "loss", "minor", "match of a pattern that no single sentence holds", "none"),
    _reason(
        "short_form_unresolved",
        "loss",
        "info",
        "capitalised short form with several possible long forms, or used before its long form",
        "define the term in the document",
    ),
    _reason("mention_overlapped", "loss", "info", "span inside or across a longer mention", "none"),
    _reason("claim_without_object", "loss", "info", "verb without an object that a rule can take", "none"),
    _reason("clause_in_condition", "loss", "info", "inside a condition, which nothing asserts: kept as condition text", "none"),
    _reason("clause_completed", "loss", "info", "verb whose infinitive says what is claimed: is required to notify", "none"),
    _reason("clause_without_subject", "loss", "info", "clause whose subject the sentence does not name", "none"),
    _reason("claim_subject_unnamed", "loss", "info", "subject that is no mention: a value, a clause", "none"),
    _reason("anaphora_unresolved", "loss", "info", "pronoun or short form without exactly one antecedent before it in its section", "none"),
    _reason("sentence_without_claim", "loss", "info", "no rule found a claim in the sentence", "none"),
    # cells of tables and stated fields that make no claim
    _reason("table_without_header", "loss", "info", "table without headings that say what its columns are", "give it a header row"),
    _reason("table_without_key", "loss", "info", "table without a column that names what its rows are about", "none"),
    _reason("table_without_rows", "loss", "info", "table of headings only", "none"),
    _reason("table_without_subject", "loss", "info", "list of fields below no heading that names a subject", "give its section a heading"),
    _reason("table_ragged", "loss", "minor", "table with cells below no heading", "compare the original"),
    _reason("table_rows_limit", "loss", "minor", "rows beyond the limit of claims", "raise entities.max_table_rows"),
    _reason("table_section_row", "loss", "info", "row that heads others or says nothing of its key", "none"),
    _reason("table_total_row", "loss", "info", "row of totals or means", "none"),
    _reason("row_without_key", "loss", "info", "row whose key is empty or a bare value", "none"),
    _reason("value_ambiguous", "loss", "minor", "numeric date that names two days (05/06/2023)", "state the language with its region, or write YYYY-MM-DD"),
    _reason("value_not_read", "loss", "info", "value with digits that is no single number, amount or date", "none"),
    _reason("cell_row_number", "loss", "info", "number of a row", "none"),
    _reason("cell_without_value", "loss", "info", "cell that says there is no value (n/a, -)", "none"),
    _reason("cell_without_label", "loss", "info", "cell below an empty heading", "give the column a heading"),
    _reason("cell_without_mention", "loss", "info", "cell whose name is part of another mention", "none"),
    _reason("cell_of_prose", "loss", "info", "cell of prose: read by the rules for sentences", "none"),
    _reason("metadata_of_file", "loss", "info", "stated field of the file or message, not of its subject", "none"),
    _reason("metadata_without_value", "loss", "info", "stated field without a value, or with a program's default", "state it in the document"),
    _reason("metadata_without_subject", "loss", "info", "no mention of the document's title that the field could be about", "give the document a heading"),
    _reason("value_mention", "loss", "info", "date, amount or number: a value of claims, no entity", "none"),
    _reason("claim_self_loop", "loss", "info", "claim that links an entity to itself: no relationship", "none"),
    _reason("isolated_entity", "loss", "info", "entity without relationships: in no community", "none"),
    _reason(
        "excluded_hidden", "loss", "minor", "hidden text is not indexed", "set index.include_hidden after reading it"
    ),
    _reason("not_held", "loss", "info", "a version that its source no longer holds", "none"),
    _reason(
        "text_truncated",
        "loss",
        "minor",
        "longer than the embedder's window; the rest is found by words only",
        "lower chunking.max_tokens",
    ),
    # language models: requests without an answer (asked again by the next run)
    _reason("model_unreachable", "loss", "minor", "the endpoint cannot be reached", "check endpoint.base_url and the server; the next run asks again", transient=True),
    _reason("model_timeout", "loss", "minor", "no whole answer in time", "raise endpoint.timeout_seconds; the next run asks again", transient=True),
    _reason("model_server_error", "loss", "minor", "the endpoint reports an error of its own", "see its log; the next run asks again", transient=True),
    _reason("model_rate_limited", "loss", "minor", "the endpoint asks to wait longer than is waited", "lower endpoint.concurrency or raise endpoint.max_wait_seconds", transient=True),
    _reason("model_bad_reply", "loss", "minor", "what came back is no answer of a model (a web page, a broken body)", "check that endpoint.base_url ends in /v1 and no proxy stands between", transient=True),
    _reason("model_request_refused", "loss", "minor", "the endpoint refuses the request or the key", "check endpoint.model, api_key and the length that the model can read", transient=True),
    _reason("model_budget_exceeded", "loss", "minor", "the run's budget for models is spent", "raise endpoint.max_calls_per_run or max_tokens_per_run; the next run goes on", transient=True),
    _reason("model_answer_missing", "loss", "minor", "a rebuild calls no model and no answer is recorded", "restore model_answers from a backup, or ingest again"),
    # answers that cannot be used (recorded; not paid for again)
    _reason("model_egress_denied", "loss", "info", "no rule lets the document's text leave for the endpoint", "see egress_decisions; add a rule to egress.rules if it may leave"),
    _reason("model_hidden_withheld", "loss", "info", "hidden text is not sent to a model", "none"),
    _reason("model_answer_empty", "loss", "minor", "the model answered nothing", "try another model or prompt; see model_answers"),
    _reason("model_answer_truncated", "loss", "minor", "the answer was cut at its length limit", "raise endpoint.max_output_tokens or lower models.window_characters"),
    _reason("model_answer_not_json", "loss", "minor", "the answer holds no JSON object", "set endpoint.structured_output or try another model"),
    _reason("model_answer_invalid", "loss", "minor", "the answer's JSON has not the shape asked for", "set endpoint.structured_output or try another model"),
    _reason("model_answer_declined", "loss", "minor", "the model or its filter declined to answer", "see model_answers"),
    # items of an answer that the text does not bear out
    _reason("model_item_malformed", "loss", "minor", "item without a subject, predicate, object or value, or quote", "none"),
    _reason("model_quote_not_found", "loss", "minor", "the quote is not in the text sent", "none"),
    _reason("model_quote_too_short", "loss", "minor", "the quote is too short to support a sentence", "none"),
    _reason("model_sentence_uncited", "loss", "minor", "a sentence of a report cites no claim", "none"),
    _reason("model_report_unsupported", "loss", "minor", "no sentence of the report is borne out by its quotes", "try another model; see model_answers; the extractive report serves"),
    _reason("model_quote_too_long", "loss", "minor", "the quote is too long to support one claim", "none"),
    _reason("model_name_not_found", "loss", "minor", "the name of an entity is not in the text sent", "none"),
    _reason("model_subject_not_found", "loss", "minor", "the subject is not in or shortly before the quote", "none"),
    _reason("model_object_not_found", "loss", "minor", "the object or value is not in or shortly before the quote", "none"),
    _reason("model_mention_conflict", "loss", "minor", "the span names nothing, or lies across known mentions", "none"),
    _reason("model_self_reference", "loss", "minor", "subject and object are the same words", "none"),
    _reason("model_polarity_mismatch", "loss", "minor", "the quote denies what the item asserts, or the other way round", "none"),
    _reason("model_modality_mismatch", "loss", "minor", "the quote does not say must, may or should as the item does", "none"),
    _reason("model_not_asserted", "loss", "minor", "the quote asks or supposes it", "none"),
    _reason("model_number_mismatch", "loss", "minor", "a number of the item is not in the quote", "none"),
    _reason("model_condition_not_found", "loss", "minor", "the condition is not in the text sent", "none"),
    _reason("model_validity_not_found", "loss", "minor", "the words for the time are not in the text sent", "none"),
    _reason("model_item_repeated", "loss", "info", "the same item again", "none"),
    _reason("model_entity_known", "loss", "info", "an entity that the rules found too", "none"),
    # questions of identity
    _reason(
        "judgement_unanchored",
        "review",
        "minor",
        "a judgement's words are no longer found at exactly one place: it has no effect there",
        "judge again (muniment entity merge or split), or undo it (muniment entity undo)",
    ),
    _reason(
        "judgement_contradicted",
        "review",
        "major",
        "judgements say that two mentions are one thing and that they are not: they are kept apart",
        "undo one of them (muniment entity undo)",
    ),
    _reason(
        "ambiguous_entity",
        "review",
        "info",
        "two entities that may be one",
        "decide it (muniment entity review --accept or --reject)",
    ),
    # additions
    _reason("list_number_added", "addition", "info", "list number as the program prints it", "none"),
    _reason("repeated_cell", "addition", "info", "merged cell repeated", "none"),
    _reason("alternative_text_added", "addition", "info", "alternative text of a picture", "none"),
    _reason("number_as_shown", "addition", "info", "characters added by number formatting", "none"),
    _reason(
        "mention_added",
        "addition",
        "info",
        "name known from a heading, a definition, a pattern or a claim's argument",
        "none",
    ),
    _reason("hyphen_joined", "loss", "info", "hyphen at the line's end removed", "none"),
    _reason("header_as_text", "addition", "info", "names of headers or fields written as text", "none"),
)

REASONS: dict[str, Reason] = {reason.code: reason for reason in _ALL}


def reason(code: str) -> Reason:
    """The reason of a code; an unknown code is a bug and raises KeyError naming it."""
    if code not in REASONS:
        raise KeyError(f"unknown reason code {code!r}: add it to muniment.reason_codes")
    return REASONS[code]
