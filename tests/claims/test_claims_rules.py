"""What each rule makes of hand-written sentences (methods, section 1.2)."""

from __future__ import annotations

from datetime import date

import claims_documents
import pytest
from claims_documents import claims
from claims_raw import one, read, triples


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        # R3, R4: active verbs
        (
            "The provider shall keep an inventory of all ICT third-party arrangements.",
            {("provider", "keep", "inventory of all ICT third-party arrangements")},
        ),
        ("The Agency carries out the audit.", {("Agency", "carry_out", "audit")}),
        # R4: copula
        ("The retention period is 30 days.", {("retention period", "be", "30 days")}),
        ("The contract is valid.", {("contract", "be", "valid")}),
        (
            "Alice Brown is the owner of the Billing System.",
            {("Alice Brown", "is_a", "owner"), ("Alice Brown", "be_owner_of", "Billing System")},
        ),
        ("The Payment Gateway is part of the Core Platform.", {("Payment Gateway", "be_part_of", "Core Platform")}),
        # R5: passive
        (
            "The policy was approved by the Board of Directors.",
            {("Board of Directors", "approve", "policy")},
        ),
        ("The register is maintained.", {("register", "be_maintain", None)}),
        ("The server is hosted on Azure.", {("server", "be_host_on", "Azure")}),
        (
            "Data must be encrypted by the Storage Service in accordance with Policy P-12.",
            {
                ("Storage Service", "encrypt", "Data"),
                ("Data", "be_encrypt_in_accordance_with", "Policy P-12"),
            },
        ),
        # R6: prepositions
        (
            "Article 5(2) of Regulation (EU) 2019/881 applies to providers.",
            {("Article 5(2) of Regulation (EU) 2019/881", "apply_to", "providers")},
        ),
        ("The policy takes effect on 1 July 2026.", {("policy", "take_effect_on", "1 July 2026")}),
        (
            "The regulation shall enter into force on 1 July 2026.",
            {("regulation", "enter_into_force_on", "1 July 2026")},
        ),
        # R7: coordination
        (
            "The system depends on Oracle Database and Redis.",
            {("system", "depend_on", "Oracle Database"), ("system", "depend_on", "Redis")},
        ),
        (
            "Acme, Beta and Gamma signed the Agreement.",
            {("Acme", "sign", "Agreement"), ("Beta", "sign", "Agreement"), ("Gamma", "sign", "Agreement")},
        ),
        (
            "The bank develops and maintains the Fraud System.",
            {("bank", "develop", "Fraud System"), ("bank", "maintain", "Fraud System")},
        ),
        # voices differ: who replaced is not said by the grammar
        ("Acme was established by Beta and replaced Gamma.", {("Beta", "establish", "Acme")}),
        # R8: apposition and definition
        (
            "Delta GmbH, a subsidiary of Acme Ltd, operates the Payment Gateway.",
            {
                ("Delta GmbH", "is_a", "subsidiary"),
                ("Delta GmbH", "be_subsidiary_of", "Acme Ltd"),
                ("Delta GmbH", "operate", "Payment Gateway"),
            },
        ),
        (
            "The European Union Agency for Cybersecurity (ENISA) supports Member States.",
            {
                ("European Union Agency for Cybersecurity", "alias", "ENISA"),
                ("European Union Agency for Cybersecurity", "support", "Member States"),
            },
        ),
        # R9 and R10: possessives and relative clauses
        (
            "Acme's supplier delivered the server that the bank uses.",
            {("Acme", "have", "supplier"), ("supplier", "deliver", "server"), ("bank", "use", "server")},
        ),
        (
            "The company, which operates the Gateway, was acquired by Beta.",
            {("company", "operate", "Gateway"), ("Beta", "acquire", "company")},
        ),
        (
            "Services provided by Acme include hosting.",
            {("Acme", "provide", "Services"), ("Services", "include", "hosting")},
        ),
        # verbs that give an infinitive its modality, and others that stay part of the predicate
        ("The supplier is required to inform the bank.", {("supplier", "inform", "bank")}),
        ("Acme wants to buy Beta.", {("Acme", "want_to_buy", "Beta")}),
        # nothing is asserted
        ("Does Acme own Beta?", set()),
        ("It is maintained and they use it.", set()),
    ],
)
def test_claims_of_a_sentence(sentence: str, expected: set[tuple[str, str, str | None]]) -> None:
    assert triples(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "predicate"),
    [
        ("The Agency does not provide services.", "provide"),
        ("The supplier shall never disclose the report.", "disclose"),
        ("No supplier may use the data.", "use"),
        ("Neither party shall disclose the report.", "disclose"),
        ("The bank keeps no copies.", "keep"),
        ("The controls are not effective.", "be"),
        ("The report was not approved by the Board.", "approve"),
        ("Beta Ltd cannot terminate the contract.", "terminate"),
        ("The vendor is not permitted to copy the data.", "copy"),
    ],
)
def test_negation_is_kept_as_polarity(sentence: str, predicate: str) -> None:
    assert one(sentence, predicate)["polarity"] == "negative"


def test_negation_and_modal_reach_the_coordinated_bare_verb_only() -> None:
    shared = claims(read("The processor shall not copy or sell the data."))
    assert [(row["predicate"], row["polarity"], row["modality"]) for row in shared] == [
        ("copy", "negative", "shall"),
        ("sell", "negative", "shall"),
    ]
    own = claims(read("The vendor does not provide support but sells licences."))
    assert [(row["predicate"], row["polarity"]) for row in own] == [("provide", "negative"), ("sell", "positive")]


@pytest.mark.parametrize(
    ("sentence", "modality"),
    [
        ("The supplier shall notify the bank.", "shall"),
        ("The supplier must notify the bank.", "must"),
        ("The supplier may notify the bank.", "may"),
        ("The supplier might notify the bank.", "may"),
        ("The supplier should notify the bank.", "should"),
        ("The supplier will notify the bank.", "will"),
        ("The supplier can notify the bank.", "can"),
        ("The Board notified the bank.", "is"),
        ("The supplier is required to notify the bank.", "must"),
        ("The supplier is allowed to notify the bank.", "may"),
    ],
)
def test_modality(sentence: str, modality: str) -> None:
    assert one(sentence, "notify")["modality"] == modality


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        (
            "The controller shall not process personal data unless the data subject has given consent.",
            "unless the data subject has given consent",
        ),
        ("If the supplier fails, the bank may terminate the contract.", "If the supplier fails"),
        ("Provided that the bank agrees, the supplier may use subcontractors.", "Provided that the bank agrees"),
        ("Subject to Article 5, the Agency shall publish a report.", "Subject to Article 5"),
        ("The supplier may use the data except with prior consent.", "except with prior consent"),
        ("In the event of a breach, the supplier shall inform the bank.", "In the event of a breach"),
        ("The supplier shall delete the data where the contract ends.", "where the contract ends"),
    ],
)
def test_no_claim_without_its_condition_and_none_of_the_condition(sentence: str, condition: str) -> None:
    found = claims(read(sentence))
    assert len(found) == 1
    assert found[0]["condition_text"] == condition


def test_a_leading_condition_holds_for_both_main_clauses_and_a_trailing_one_for_its_own() -> None:
    leading = claims(read("If the bank agrees, Acme Ltd delivers the goods and Beta Ltd pays the fee."))
    assert {row["condition_text"] for row in leading} == {"If the bank agrees"}
    trailing = claims(read("Acme Ltd delivers the goods, and Beta Ltd pays the fee if the bank agrees."))
    assert {row["subject"]: row["condition_text"] for row in trailing}["Beta Ltd"] == "if the bank agrees"


def test_what_is_only_said_has_less_confidence_and_what_is_denied_is_no_claim() -> None:
    said = one("The auditor said that Acme Ltd owns Beta Ltd.", "own")
    stated = one("Acme Ltd owns Beta Ltd.", "own")
    assert said["confidence"] < stated["confidence"]
    assert not [
        row for row in claims(read("The auditor denied that Acme Ltd owns Beta Ltd.")) if row["predicate"] == "own"
    ]


@pytest.mark.parametrize(
    ("sentence", "value", "value_type"),
    [
        ("The fee is EUR 5,000.", "EUR 5,000", "money"),
        ("The rate is 3.5%.", "3.5%", "percent"),
        ("The retention period is 30 days.", "30 days", "duration"),
        ("The effective date is 1 July 2026.", "1 July 2026", "date"),
        ("The contract is valid.", "valid", "text"),
    ],
)
def test_literals_are_values_and_never_objects(sentence: str, value: str, value_type: str) -> None:
    row = one(sentence, "be")
    assert (row["value"], row["value_type"], row["object_mention_id"]) == (value, value_type, None)


@pytest.mark.parametrize(
    ("sentence", "predicate", "expected"),
    [
        ("The policy applies from 1 July 2026.", "apply_from", (date(2026, 7, 1), None, "stated_open")),
        (
            "The licence is valid from 1 July 2026 until 31 December 2027.",
            "be_valid_from",
            (date(2026, 7, 1), date(2028, 1, 1), "stated"),
        ),
        ("The policy applies from July 2026.", "apply_from", (date(2026, 7, 1), None, "stated_open")),
        ("The policy does not apply until 1 July 2026.", "apply_until", (None, None, "unknown")),
    ],
)
def test_validity_only_of_written_days(
    sentence: str, predicate: str, expected: tuple[date | None, date | None, str]
) -> None:
    row = one(sentence, predicate)
    assert (row["valid_from"], row["valid_to"], row["validity_basis"]) == expected


def test_the_schema_turns_a_claim_round_and_keeps_what_was_said() -> None:
    (row,) = [row for row in claims(claims_documents.read("Acme Ltd owns Beta Ltd.")) if row["predicate_raw"] == "own"]
    assert (row["subject"], row["predicate"], row["object"]) == ("Beta Ltd", "owned_by", "Acme Ltd")
    assert row["predicate_text"] == "owns"


def test_rules_and_their_confidence() -> None:
    text = (
        "The Board approved the plan. The audit was done by Acme Ltd. Acme's supplier left. "
        "The bank depends on Redis and Kafka."
    )
    found = {(row["rule"], row["predicate"]): row["confidence"] for row in claims(read(text))}
    assert found["R4", "approve"] == 0.85
    assert found["R5", "do"] == 0.90
    assert found["R9", "have"] == 0.75
    assert found["R6", "depend_on"] == 0.80
    assert found["R7", "depend_on"] == pytest.approx(0.72)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Le fournisseur doit notifier la banque.", ("fournisseur", "notifier", "banque", "positive", "must")),
        ("La politique a été approuvée par le conseil.", ("conseil", "approuver", "politique", "positive", "is")),
        ("Acme ne fournit pas de services.", ("Acme", "fournir", "services", "negative", "is")),
    ],
)
def test_french_claims(sentence: str, expected: tuple[str, str, str, str, str]) -> None:
    found = [
        (row["subject"], row["predicate"], row["object"], row["polarity"], row["modality"])
        for row in claims(read(sentence, "fr"))
    ]
    assert expected in found


def test_a_french_condition_is_kept() -> None:
    row = one("L'Agence publie un rapport annuel si la Commission le demande.", "publier", "fr")
    assert row["condition_text"] == "si la Commission le demande"
