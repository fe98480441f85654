"""A pipeline in four steps: it makes its data, trains a model, measures it on rows it has not seen, and predicts."""
