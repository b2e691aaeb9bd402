"""A study: documents, questions, answers, scores and comparisons in one folder; where stages meet."""
