"""Derived tables of the local stages: rows of one version, whatever else the corpus holds.

Every table here carries `version_id`; a stage replaces all rows of a version at once.
Spans are half-open offsets in code points into the canonical text of the extraction.
"""

from __future__ import annotations

from muniment.tables.model import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    INTEGERS,
    STRING,
    STRINGS,
    Column,
    Table,
    column,
)

VERSION = column("version_id", STRING, "version")
EXTRACTION = column("extraction_id", STRING, "extraction")
START = column("start", INTEGER, "first code point")
END = column("end", INTEGER, "one past the last code point")


def _table(name: str, stage: str, key: tuple[str, ...], description: str, *columns: Column) -> Table:
    return Table(name, "derived", "local", stage, key, description, columns)


EXTRACTIONS = _table(
    "extractions", "structured_extraction", ("extraction_id",),
    "The structured form of a version made by one reader with one configuration.",
    column("extraction_id", STRING, "UUIDv5(version_id, sha256 of the canonical text)"),
    VERSION,
    column("document_id", STRING, "document"),
    column("doc_type", STRING, "document type"),
    column("reader", STRING, "reader"),
    column("reader_version", STRING, "reader and engine versions"),
    column("config_digest", STRING, "digest of the reader's settings"),
    column("canonical_sha256", STRING, "digest of the canonical text (UTF-8)"),
    column("characters", INTEGER, "code points of the canonical text"),
    column("elements", INTEGER, "elements"),
    column("pages", INTEGER, "pages, slides or sheets; null where the format has none", null=True),
    column("title", STRING, "title stated or read from the first heading", null=True),
    column("title_basis", STRING, "explicit, rule or none"),
    column("author", STRING, "author as stated", null=True),
    column("published_on", DATE, "publication date as stated", null=True),
    column("valid_from", DATE, "first day of validity as stated", null=True),
    column("valid_to", DATE, "first day after validity as stated (half-open)", null=True),
    column("validity_status", STRING, "stated, stated_open or unverified"),
    column("language", STRING, "ISO 639-1, or und"),
    column("language_basis", STRING, "explicit, rule or none"),
)

CANONICAL_TEXTS = _table(
    "canonical_texts", "structured_extraction", ("extraction_id",),
    "Element texts in reading order joined by a blank line.",
    EXTRACTION, VERSION,
    column("text", STRING, "canonical text"),
)

ELEMENTS = _table(
    "elements", "structured_extraction", ("element_id",),
    "Pieces of an extraction in reading order.",
    column("element_id", STRING, "UUIDv5(extraction_id, ordinal)"),
    EXTRACTION, VERSION,
    column("ordinal", INTEGER, "0, 1, … in reading order"),
    column("kind", STRING, "title, heading, paragraph, list_item, table, figure, caption, footnote, note, code, "
           "quote, page_header, page_footer, mail_header, comment, form_field"),
    column("level", INTEGER, "depth of a heading, from 1", null=True),
    START, END,
    column("page", INTEGER, "page from 1", null=True),
    column("x0", FLOAT, "left edge in points from the page's left", null=True),
    column("y0", FLOAT, "top edge in points from the page's top", null=True),
    column("x1", FLOAT, "right edge in points", null=True),
    column("y1", FLOAT, "bottom edge in points", null=True),
    column("slide", INTEGER, "slide from 1", null=True),
    column("sheet", STRING, "sheet name", null=True),
    column("cell_range", STRING, "A1:C9", null=True),
    column("mail_part", STRING, "MIME part path such as 1.2", null=True),
    column("section_path", STRINGS, "headings above, from the outermost"),
    column("hidden", BOOLEAN, "not visible to a reader of the original"),
    column("attributes", STRING, "JSON: links, alternative text, style, …"),
)

DOCUMENT_TABLES = _table(
    "document_tables", "structured_extraction", ("table_id",),
    "Tables of an extraction.",
    column("table_id", STRING, "UUIDv5(element_id, 'table')"),
    EXTRACTION, VERSION,
    column("element_id", STRING, "its element"),
    column("ordinal", INTEGER, "0, 1, … in reading order"),
    column("rows", INTEGER, "rows"),
    column("columns", INTEGER, "columns"),
    column("header_rows", INTEGER, "leading rows that are headers"),
    column("caption", STRING, "caption", null=True),
)

TABLE_CELLS = _table(
    "table_cells", "structured_extraction", ("table_id", "row", "column"),
    "Cells; text as shown, raw value beside it.",
    column("table_id", STRING, "table"),
    EXTRACTION, VERSION,
    column("row", INTEGER, "from 0"),
    column("column", INTEGER, "from 0"),
    column("row_span", INTEGER, "rows covered"),
    column("column_span", INTEGER, "columns covered"),
    column("is_header", BOOLEAN, "header cell"),
    START, END,
    column("text", STRING, "as shown: canonical_text[start:end]"),
    column("raw_value", STRING, "stored value where it differs from the text shown", null=True),
    column("hidden", BOOLEAN, "in a hidden row, column or sheet"),
)

TEXT_EDITS = _table(
    "text_edits", "structured_extraction", ("extraction_id", "start", "end", "kind"),
    "Where the canonical text differs from the source, both sides.",
    EXTRACTION, VERSION, START, END,
    column("kind", STRING, "joined_hyphen, ligature, number_as_shown, list_number, …"),
    column("source_text", STRING, "what the source has"),
    column("canonical_text", STRING, "what the canonical text has"),
)

SOURCE_COUNTS = _table(
    "source_counts", "structured_extraction", ("version_id", "unit"),
    "Counts of the original by code that shares nothing with its reader.",
    VERSION,
    column("unit", STRING, "chars_visible, chars_hidden, digits, percents, pages, tables, slides, sheets, mail_parts"),
    column("value", INTEGER, "count"),
    column("counter", STRING, "which counter, with its version"),
)

EXTRACTED_METADATA = _table(
    "extracted_metadata", "structured_extraction", ("version_id", "field", "ordinal"),
    "What the document states of itself: properties, front matter, mail headers.",
    VERSION,
    column("field", STRING, "title, author, published_on, valid_from, valid_to, language, subject, from, to, …"),
    column("ordinal", INTEGER, "0, 1, … among equal fields"),
    column("value", STRING, "as stated"),
    column("basis", STRING, "explicit or rule"),
    column("evidence", STRING, "JSON: property, header or span"),
)

ARTIFACTS = _table(
    "artifacts", "structured_extraction", ("artifact_id",),
    "Every transformation of a version: what came out, made by what, from what.",
    column("artifact_id", STRING, "UUIDv5(version_id, stage, digest)"),
    VERSION,
    column("kind", STRING, "stage that made it"),
    column("digest", STRING, "digest of the output"),
    column("producer", STRING, "code and engine versions"),
    column("config_digest", STRING, "digest of the settings used"),
    column("parents", STRINGS, "artifact ids, or sha256 of the original"),
)

ANNOTATIONS = _table(
    "annotations", "annotations", ("extraction_id", "ordinal"),
    "The language pipeline's reading, a row a sentence; offsets of tokens are into the canonical text.",
    EXTRACTION, VERSION,
    column("ordinal", INTEGER, "0, 1, …"),
    START, END,
    column("pipeline", STRING, "pipeline and version, or rule:sentencizer"),
    column("token_starts", INTEGERS, "first code point of each token"),
    column("token_ends", INTEGERS, "one past the last"),
    column("lemmas", STRINGS, "lemma of each token; empty without a pipeline"),
    column("pos", STRINGS, "universal part of speech"),
    column("tags", STRINGS, "fine tag"),
    column("deps", STRINGS, "dependency label"),
    column("heads", INTEGERS, "index of the head within the sentence; its own index at the root"),
    column("entity_starts", INTEGERS, "first token of each named entity"),
    column("entity_ends", INTEGERS, "one past its last token"),
    column("entity_labels", STRINGS, "pipeline's label"),
    column("noun_chunk_starts", INTEGERS, "first token of each noun chunk"),
    column("noun_chunk_ends", INTEGERS, "one past its last token"),
)

UNIT_REFERENCES = _table(
    "unit_references", "annotations", ("extraction_id", "start", "end"),
    "Stated references to units of a document: Article 5(2), section 3.1, Annex II.",
    EXTRACTION, VERSION, START, END,
    column("kind", STRING, "article, section, annex, clause, …"),
    column("label", STRING, "normalised label: 5(2), 3.1, II"),
    column("text", STRING, "as written"),
)

PARENT_UNITS = _table(
    "parent_units", "chunks", ("parent_unit_id",),
    "Units of the document's own structure that chunks belong to.",
    column("parent_unit_id", STRING, "UUIDv5(extraction_id, kind, start, end, ordinal)"),
    EXTRACTION, VERSION,
    column("kind", STRING, "document, section, table, slide, sheet, mail_part"),
    column("ordinal", INTEGER, "0, 1, … in reading order"),
    column("heading", STRING, "own heading", null=True),
    column("level", INTEGER, "depth; 0 is the document"),
    column("parent_id", STRING, "unit that holds it", null=True),
    START, END,
)

CHUNKS = _table(
    "chunks", "chunks", ("chunk_id",),
    "Verbatim slices of the canonical text.",
    column("chunk_id", STRING, "UUIDv5(extraction_id, start, end, strategy digest)"),
    EXTRACTION, VERSION,
    column("document_id", STRING, "document"),
    column("ordinal", INTEGER, "0, 1, … in reading order"),
    column("kind", STRING, "text, table, figure"),
    START, END,
    column("text", STRING, "canonical_text[start:end]"),
    column("tokens", INTEGER, "tokens of the embedder's tokenizer"),
    column("parent_unit_id", STRING, "smallest unit that holds it"),
    column("section_path", STRINGS, "headings above, from the outermost"),
    column("previous_chunk_id", STRING, "neighbour before", null=True),
    column("next_chunk_id", STRING, "neighbour after", null=True),
    column("source_locator", STRING, "JSON: page, box, section, sheet, range, slide, mail_part, characters"),
    column("strategy", STRING, "chunking strategy"),
    column("forced_cut", BOOLEAN, "cut where no boundary allowed it, because of the hard maximum"),
    column("hidden", BOOLEAN, "text not visible in the original"),
    column("index_state", STRING, "indexed or excluded_hidden (local); view states stand in chunk_states"),
)

CHUNK_MENTIONS = _table(
    "chunk_mentions", "chunks", ("chunk_id", "start", "end", "label"),
    "Named entities inside a chunk.",
    column("chunk_id", STRING, "chunk"),
    VERSION, START, END,
    column("label", STRING, "pipeline's label"),
    column("text", STRING, "as written"),
)

CHUNK_CONTEXTS = _table(
    "chunk_contexts", "contextualized_chunks", ("chunk_id",),
    "Generated contexts: used in what is embedded and indexed, never a quotation.",
    column("chunk_id", STRING, "chunk"),
    VERSION,
    column("generated_context", STRING, "context"),
    column("method", STRING, "rule or model name"),
    column("request_digest", STRING, "model answer it came from", null=True),
)

MENTIONS = _table(
    "mentions", "entities", ("mention_id",),
    "Spans of the canonical text that name an entity.",
    column("mention_id", STRING, "UUIDv5(extraction_id, start, end)"),
    EXTRACTION, VERSION,
    column("document_id", STRING, "document"),
    START, END,
    column("text", STRING, "canonical_text[start:end]"),
    column("name", STRING, "normalised name (Unicode-safe, case folded)"),
    column("display_name", STRING, "text without article and outer punctuation"),
    column("entity_type", STRING, "organisation, person, place, law, date, quantity, event, product, system, concept, …"),
    column("source", STRING, "ner, noun_phrase, subject, pattern, defined_term, table_cell, metadata, model"),
    column("label", STRING, "pipeline's label", null=True),
    column("ordinal", INTEGER, "sentence it stands in", null=True),
    column("is_subject", BOOLEAN, "names what the document or its section is about"),
    column("acronym_of", STRING, "normalised long form that this document defines it by", null=True),
    column("definition", STRING, "how the document defines the name: acronym, defined_term (without acronym_of: by a description), short_form, or aka: stated in prose alone, unconfirmed", null=True),
    column("identifier", STRING, "normalised identifier where a pattern says that it names one thing", null=True),
)

CLAIMS = _table(
    "claims", "entities", ("claim_id",),
    "Assertions: subject, predicate, object or value, with polarity, modality, condition and validity.",
    column("claim_id", STRING, "UUIDv5(extraction_id, spans, rule)"),
    column("statement_id", STRING, "UUIDv5 of normalised subject, predicate, object, polarity, modality, condition"),
    EXTRACTION, VERSION,
    column("document_id", STRING, "document"),
    column("rule", STRING, "R0 … R12: methods.md section 1.2; T: row of a table; M: metadata; L: language model"),
    column("basis", STRING, "explicit (stated in metadata), rule or model"),
    column("subject_mention_id", STRING, "mention"),
    column("predicate", STRING, "relation or attribute of the domain schema, or the raw predicate where it has none"),
    column("predicate_raw", STRING, "lemma with particle and preposition, or the field's name"),
    column("predicate_text", STRING, "as written"),
    column("object_mention_id", STRING, "mention; null for an attribute", null=True),
    column("value", STRING, "literal as written; null for a relation", null=True),
    column("value_type", STRING, "text, number, quantity, money, percent, date, duration, boolean", null=True),
    column("value_number", FLOAT, "number in value_unit; 1 and 0 for a boolean", null=True),
    column("value_unit", STRING, "canonical unit, ISO 4217 currency (a sign such as $ where the source does not say whose), or %", null=True),
    column("value_date", DATE, "day, first day of the month or year by value_precision", null=True),
    column("value_precision", STRING, "day, month, year", null=True),
    column("anaphora", STRING, "subject, object or both: named by a pronoun or short form resolved by rule", null=True),
    column("polarity", STRING, "positive or negative"),
    column("modality", STRING, "shall, must, may, should, will, can, is; negative: shall not, may not …; need_not: no obligation"),
    column("condition_text", STRING, "unless, if, except, … clause, verbatim", null=True),
    column("valid_from", DATE, "first day", null=True),
    column("valid_to", DATE, "first day after", null=True),
    column("validity_precision", STRING, "day, month, year: of the coarsest bound", null=True),
    column("validity_basis", STRING, "stated, stated_open, relative_resolved (period after a known day), metadata (of the "
           "whole document), unknown"),
    column("validity_text", STRING, "the words that state it, verbatim", null=True),
    column("claim_status", STRING, "asserted"),
    column("asserted_on", DATE, "date of the source", null=True),
    column("confidence", FLOAT, "0 to 1, by rule"),
)

CLAIM_EVIDENCE = _table(
    "claim_evidence", "entities", ("claim_id", "start", "end"),
    "Where a claim stands, with the exact wording.",
    column("claim_id", STRING, "claim"),
    EXTRACTION, VERSION,
    column("start", INTEGER, "first code point; -1 for a property that stands outside the text"),
    column("end", INTEGER, "one past the last; -1 likewise"),
    column("quote", STRING, "canonical_text[start:end], or the property's value as stated"),
    column("field", STRING, "field of extracted_metadata that states it; null for text", null=True),
)

MODEL_REQUESTS = _table(
    "model_requests", "entities", ("extraction_id", "purpose", "round", "start", "end"),
    "What a model was asked about an extraction, and what became of the answers.",
    EXTRACTION, VERSION,
    column("purpose", STRING, "claims"),
    column("round", INTEGER, "0; from 1: asked again for what was missed"),
    START, END,
    column("request_digest", STRING, "the answer in model_answers"),
    column("state", STRING, "accepted, rejected or failed"),
    column("reason_code", STRING, "why not accepted", null=True),
    column("items", INTEGER, "entities and claims in the answer; each is in the books, kept or refused with a reason"),
)

LOSSES = _table(
    "losses", "loss_report", ("loss_id",),
    "Something expected that the result does not have, with a reason.",
    column("loss_id", STRING, "UUIDv5(version_id, stage, unit, reason, locator)"),
    VERSION,
    column("stage", STRING, "stage"),
    column("unit", STRING, "unit counted"),
    column("reason_code", STRING, "from reason_codes"),
    column("amount", INTEGER, "units lost"),
    column("severity", STRING, "info, minor, major, critical"),
    column("locator", STRING, "JSON: page, sheet, part, … where it was"),
    column("detail", STRING, "for people; never text of the document"),
)

STAGE_BOOKS = _table(
    "stage_books", "loss_report", ("version_id", "stage", "unit"),
    "expected + additions = actual + explained + unexplained, for each version, stage and unit.",
    VERSION,
    column("stage", STRING, "stage"),
    column("unit", STRING, "unit counted"),
    column("expected", INTEGER, "counted independently"),
    column("additions", INTEGER, "added on purpose, with a code"),
    column("actual", INTEGER, "what the stage reports to have made; recounted by SQL in the checks"),
    column("explained", INTEGER, "lost with a code"),
    column("unexplained", INTEGER, "the rest; negative when more came out than went in"),
)

TABLES = (
    EXTRACTIONS, CANONICAL_TEXTS, ELEMENTS, DOCUMENT_TABLES, TABLE_CELLS, TEXT_EDITS, SOURCE_COUNTS,
    EXTRACTED_METADATA, ARTIFACTS, ANNOTATIONS, UNIT_REFERENCES, PARENT_UNITS, CHUNKS, CHUNK_MENTIONS,
    CHUNK_CONTEXTS, MENTIONS, CLAIMS, CLAIM_EVIDENCE, MODEL_REQUESTS, LOSSES, STAGE_BOOKS,
)
