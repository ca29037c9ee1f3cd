"""Which spans are names and of what type: names of every script, and kinds of fault of a small recogniser."""

from __future__ import annotations

import pytest
from claims_documents import Parts, claims, corpus, entities, mentions, read


@pytest.mark.parametrize(
    ("text", "name"),
    [
        # a year belongs to the event that it tells from others
        ("She won the 1966 Asian Games.", "1966 Asian Games"),
        ("He lost the 2017 Czech legislative election.", "2017 Czech legislative election"),
        # a party of one country is no party of another
        ("He joined the Communist Party of Indonesia.", "Communist Party of Indonesia"),
        # titles are no part of a person's name
        ("They met Dr. Alice Brown in Paris.", "Alice Brown"),
        # a corporate form that a small model takes for a determiner
        ("The bank paid Acme SA last week.", "Acme SA"),
        # "the Order" is a name, "in order to" is none
        ("Acme Ltd broke the Order in May.", "Order"),
    ],
)
def test_a_name_is_whole_and_no_more(text: str, name: str) -> None:
    assert name in mentions(read(text))


def test_words_beside_a_name_are_no_names() -> None:
    found = mentions(read("In order to pay, Acme Ltd asked Dr. Brown. In 2017 Beta Ltd paid."))
    assert not {"order", "Dr", "Dr. Brown", "2017 Beta Ltd"} & set(found)
    assert {"Acme Ltd", "Beta Ltd"} <= set(found)


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("They met Dr. Wydner in Paris.", "Wydner", "person"),
        ("Alice Brown signed the plan. Brown approved the budget in May.", "Brown", "person"),
        ("Acme GmbH signed the plan. Acme approved the budget.", "Acme", "organisation"),
    ],
)
def test_a_bare_name_has_the_type_that_its_context_or_full_name_gives(text: str, name: str, kind: str) -> None:
    assert mentions(read(text))[name]["entity_type"] == kind


def test_the_type_of_a_modifier_is_not_the_type_of_the_phrase() -> None:
    assert (
        mentions(read("He liked the United States competitors."))["United States competitors"]["entity_type"] != "place"
    )


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("ООО «Газпром нефть» (далее — «Поставщик») подписала договор.", "ru", "поставщик"),
        ("Η Ελληνική Δημοκρατία (εφεξής «ο Ανάδοχος») υπέγραψε.", "el", "ανάδοχος"),
        ("وقعت الشركة العقد مع Acme Ltd.", "ar", "acme ltd"),
        ("החברה חתמה על ההסכם עם Acme Ltd.", "he", "acme ltd"),
        ("北京云海科技有限公司(以下简称“甲方”)签约。", "zh", "甲方"),
        ("कंपनी ने Acme Ltd के साथ करार किया।", "hi", "acme ltd"),
    ],
)
def test_names_in_languages_without_a_pipeline(text: str, language: str, name: str) -> None:
    output = read(text, language)
    assert name.casefold() in output.tables["mentions"]["name"].to_list()
    assert output.tables["losses"].filter(reason_code="no_language_pipeline").height == 1


CONTRAT: Parts = [
    ("title", "Contrat de services"),
    (
        "paragraph",
        "Dupont Conseil SAS (ci-après « le Prestataire ») fournit des services d'hébergement à la Banque de France. "
        "La passerelle de télémétrie dépend du serveur central. La passerelle ne dépend pas de la plateforme. "
        "Le Prestataire doit notifier l'Agence dans un délai de 72 heures. "
        "Le Prestataire est tenu de conserver les journaux. "
        "Les fournisseurs ne peuvent pas accéder au serveur. Le règlement a été adopté par la Commission européenne.",
    ),
]


def test_a_french_document_goes_through_its_own_pipeline() -> None:
    source = corpus({"v1": (CONTRAT, "fr")})
    assert source.annotations["pipeline"].unique().to_list()[0].startswith("fr_core_news")
    output = entities(source)
    types = {name: row["entity_type"] for name, row in mentions(output).items()}
    assert types["Dupont Conseil SAS"] == types["Prestataire"] == types["Commission européenne"] == "organisation"
    assert mentions(output)["Prestataire"]["acronym_of"] == "dupont conseil sas"
    assert output.tables["losses"].filter(reason_code="no_language_pipeline").is_empty()
    said = {
        (row["subject"], row["predicate_raw"], row["object"], row["polarity"], row["modality"])
        for row in claims(output)
    }
    assert {
        ("Dupont Conseil SAS", "alias", "Prestataire", "positive", "is"),
        ("passerelle de télémétrie", "dépendre_de", "serveur central", "positive", "is"),
        ("passerelle", "dépendre_de", "plateforme", "negative", "is"),
        ("Prestataire", "notifier", "Agence", "positive", "must"),
        ("Prestataire", "conserver", "journaux", "positive", "must"),
        ("fournisseurs", "accéder_à", "serveur", "negative", "may"),
        ("Commission européenne", "adopter", "règlement", "positive", "is"),
    } <= said


def test_french_predicates_are_the_schemas() -> None:
    found = {row["predicate_raw"]: row["predicate"] for row in claims(entities(corpus({"v1": (CONTRAT, "fr")})))}
    assert found["dépendre_de"] == "depends_on"
