"""The models that can be trained. Each has fit, probabilities or values, and can be written to JSON and read back."""

from .decision_tree import DecisionTree
from .linear_regression import LinearRegression
from .logistic_regression import LogisticRegression
from .naive_bayes import NaiveBayes

MODELS = {
    "logistic_regression": LogisticRegression,
    "linear_regression": LinearRegression,
    "decision_tree": DecisionTree,
    "naive_bayes": NaiveBayes,
}
