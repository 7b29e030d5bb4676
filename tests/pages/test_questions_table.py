"""The page on privacy lists what each estimator may ask, as it is declared."""

from fedps.questions.families import ROWS
from tests.pages import questions_table


def test_the_page_has_the_table():
    assert questions_table.PAGE.read_text("utf-8") == questions_table.page(), (
        "write it: python -m tests.pages.questions_table"
    )


def test_every_estimator_is_in_it():
    text = "\n".join(questions_table.lines())
    compounds = {"FeatureUnion", "FrozenEstimator", "Pipeline"}  # they ask nothing of their own
    assert {name for name in ROWS if f"`{name}(" not in text} == compounds


def test_estimators_that_share_a_row_ask_the_same():
    first = {
        "Normalizer": "Binarizer",
        "PolynomialFeatures": "Binarizer",
        "OrdinalEncoder": "OneHotEncoder",
        "LabelBinarizer": "LabelEncoder",
    }
    by_name = {text.partition("(")[0]: row for text, *row in reversed(questions_table.ROWS)}
    for estimator in questions_table.SAME:
        other, _ = by_name[first[type(estimator).__name__]]
        assert questions_table.questions(estimator) == questions_table.questions(other)
