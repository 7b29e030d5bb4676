"""What an error says of a client's refusal or failure: all texts, by the name of the rule.

A client sends the name of a rule and of a column, and no text of its own.
"""

from __future__ import annotations

from fedps.protocol.limits import MAX_WIDTH

# What to do about a refusal by rule and statistic; the default is to leave the column out.
INSTEAD = {
    "fillings of Donors": "Use SimpleImputer or IterativeImputer, which need less",
    "fillings of Incomplete": "Use SimpleImputer or IterativeImputer, which need less",
    "fillings of Neighbours": "Use BayesianRidge, which needs only sums",
    "level of Donors": "Use SimpleImputer or IterativeImputer, which need less",
    "level of FarthestRows": "Start from centres near the rows, ask for fewer clusters",
    "level of Incomplete": "Use SimpleImputer or IterativeImputer, which need less",
    "level of Neighbours": "Use BayesianRidge, which needs only sums",
    "level of Patterns": "Use SimpleImputer, which needs less",
    "level of PickedRows": "Start from centres of your own with KMeans(init=...)",
    "level of RowClusters": "Leave the client out",
    "budget": "Ask less of the column (fewer steps, iterations, clusters, categories or quantiles), leave "
    "it out",
    "max_dominance": "Leave the column out, clip or transform its outliers in the table there",
    "max_share": "Fit exactly, which needs less, leave the column out",
    "max_share of all answers": "Leave the column out",
    "min_count of gaps": "Leave the column out, or impute it with SimpleImputer in a step before",
    "min_count of markers": "Write missing cells as NaN in the table there, leave the column out",
    "max_share of Extremes": "Use RobustScaler, which can do with less, leave the column out",
    "max_share of products": "Choose fewer columns, leave the client out",
    "min_rows of clusters": "Ask for fewer clusters, leave the client out",
    "min_rows between matches": "Go on with the rows of the earlier match",
    "min_rows of matches": "Check that keys are written alike at all clients",
    "min_rows of observed columns": "Leave out columns with few values",
    "min_rows of samples": "Raise subsample= or set it to None, use fewer folds (cv=)",
    "min_rows of sums": "Group the rare categories there, leave the column out",
}

# What the data owner could change where a rule refuses.
CHANGES = {
    "budget": "raise budget",
    "level": "raise level",
    "max_dominance": "raise max_dominance",
    "max_share": "raise max_share",
    "min_count": "lower min_count",
    "min_rows": "lower min_rows",
}

# What became of a request where the owner consents, by the word that the client's refusal begins with.
CONSENT = {
    "waits": " {only}, and this one waits there as {name!r}. After 'fedps requests approve LEDGER "
    "{name}' there, run the same fit again; with checkpoint= it goes on from where it stopped.",
    "denied": " {does} not answer this pipeline, {name!r}: {owner} denied it. Fit another pipeline, leave "
    "the client out, or ask the data owner.",
    "full": " {only}, and {keeps} no more requests: as many wait there as may. After 'fedps requests "
    "approve' or 'deny' of some there, run the same fit again.",
    "large": " {only}, and {keeps} no request of 64 KiB or more, such as this one. Use shorter "
    "parameters, for instance fewer given categories, or leave the client out.",
    "unknown": " {does} not know an estimator of this pipeline, or one of its parameters. Install the "
    "same versions of fedps and scikit-learn on both sides.",
    "unkept": " {only}, and could not keep this request. The logger 'fedps.client' there has the "
    "reason at level ERROR.",
}

RULES = {
    "no column": "{has} no column {column}, or {keeps} it back by policy.{hint} Check the spelling, "
    "or take it out of the estimator.",
    "no target": "{has} no target. Name the column with Federation(..., target='column'), or give "
    "(X, y) pairs.",
    "not numbers": "{has} cells{in_column} that are not numbers, so {what} cannot be computed. "
    "Clean the column there, encode it as categories, or leave it out.",
    "not categories": "{has} cells of mixed types{in_column}: {what} needs all text or all numbers. "
    "Convert the column there, for instance with astype(str).",
    "objects": "{has} cells{in_column} that are Python objects which are not sent, such as tuples or times "
    "with a zone: {what} takes text, numbers, dates, times, decimals and UUIDs. Convert the column there, for "
    "instance with pandas.to_datetime(column) for times, or column.astype(str).",
    "large integers": "{has} integers{in_column} that are too long for a message. Write them as text there, "
    "with column.astype(str), or as numbers with column.astype(float).",
    "zoned gaps": "{has} missing times{in_column}, which has a time zone: scikit-learn sorts these in no "
    "fixed order. Fill them in there, or write times without a zone: "
    'column.dt.tz_convert("UTC").dt.tz_localize(None).',
    "times": "{has} times{in_column}, and scikit-learn's imputers take numbers and text. Leave the column "
    "out, or convert it there: column.astype(str) for text.",
    "missing times": "{has} missing times{in_column}, which scikit-learn's TargetEncoder takes for another "
    "category. Fill them in there, or write the column as text: column.astype(str).",
    "unknown category": "{has} cells{in_column} that are not among the given categories. Add them "
    "to categories=, or set handle_unknown= to something other than 'error'.",
    "infinity": "{has} an infinite or too large number{in_column}. Replace it there with a missing "
    "value or with a bound.",
    "not positive": "{has} numbers{in_column} that are not positive, which Box-Cox needs. Use "
    "PowerTransformer(method='yeo-johnson'), or shift the column.",
    "range": "{has} numbers{in_column} that are too large to square. Rescale the column there.",
    "missing": "{has} missing values{in_column}, which this estimator does not accept. Impute them "
    "first, for instance with SimpleImputer in a Pipeline.",
    "bad weights": "{has} row weights{in_column} that are missing, negative, infinite or not "
    "numbers. Correct them there.",
    "selection": "cannot select columns by make_column_selector, which needs pandas data frames. Name "
    "the columns instead.",
    "function": "{does} not allow the function {column}. Its data owner can list it in "
    "Policy(functions=[...]).",
    "estimator": "cannot rebuild {column}: a function in it fails there, or the versions of "
    "scikit-learn or fedps differ. The logger 'fedps.client' has the reason at level DEBUG.",
    "fit": "could not fit {column} on {its} own columns. The logger 'fedps.client' has the reason at "
    "level DEBUG.",
    "transform": "could not apply {column} to the rows there. The logger 'fedps.client' has the "
    "reason at level DEBUG.",
    "too much": "{does} not accept {column} from a server: it would take far more time or memory than "
    "the table needs. Use smaller parameters, or select each column once.",
    "pattern": "{does} not accept a column pattern that may take very long to match. Use a simpler one, "
    "without nested repeats, or name the columns.",
    "journal": "{has} missed an earlier round of this fit. Start the fit again.",
    "ledger": "could not write {its} ledger, so nothing was sent. Free disk space there, or correct its "
    "path.",
    "setup": "could not open {its} table, policy or ledger. The logger 'fedps.client' there has the "
    "reason at level ERROR.",
    "too large": "would have to send more than fits in a message. Fit fewer columns at once, or "
    "leave out columns with very many categories.",
    "too wide": "would have to answer with some numbers about each column that a step makes, and a message "
    f"has room for {MAX_WIDTH:,} columns. Select fewer before this step, or give an encoder before it "
    "max_categories=.",
    "too many categories": "{has} more categories{in_column} than fit in a message. Leave the column "
    "out, or use OneHotEncoder(handle_unknown='infrequent_if_exist') with min_frequency= or "
    "max_categories=: it needs only the frequent ones.",
    "sparse": "{has} a sparse table, which this estimator does not accept. Convert it there with "
    ".toarray(), or set sparse_output=False on the encoder before it.",
    "queries": "{has} different columns than the rows that the server asked about. Start the fit again.",
    "width": "{has} a different number of columns than the estimator was given categories for. Give "
    "one list of categories per column.",
    "draw": "{has} a different number of rows than the server drew a sample from: the rows changed since "
    "the first round. Start the fit again.",
    "folds": "{has} different rows than the server drew folds for: they changed since the first round. "
    "Start the fit again.",
    "source changed": "{has} other rows than in the first round: they changed in between. Start the fit again, "
    "at a time when nobody changes them there.",
    "order changed": "{has} its rows in another order than before. They must be in an order that tells all rows "
    "apart, such as ORDER BY a key, there.",
    "columns changed": "{has} other columns than when its table was opened. Start the fit again.",
    "no order": "{has} rows without an order, and {column} depends on it: samples, folds and first labels are of rows "
    "one after the other. Give them one there, such as ORDER BY a key at the end of the query.",
    "source lost": "could not reach {its} table: the connection failed or was lost. Start the fit again when "
    "it is back. The logger 'fedps.client' there has more at level ERROR.",
    "source denied": "may not read {its} table, or not any more. The logger 'fedps.client' there has more at level "
    "ERROR.",
    "source gone": "does not find {its} table, or one of its columns, any more. The logger 'fedps.client' there "
    "has more at level ERROR.",
    "source slow": "could not read {its} table within the time limit there, or it is locked. The logger "
    "'fedps.client' there has more at level ERROR.",
    "source wrong": "could not read {its} table. The logger 'fedps.client' there has more at level ERROR.",
    "missing target": "{has} missing values in the target. Leave those rows out, or fill them in.",
    "target kind": "{has} a target that is neither all text nor numbers of one dtype. Convert it "
    "there, for instance with astype(str) or astype(float).",
    "target shape": "{has} a target of more than one column. Give one label or number per row.",
    "text target": "{has} a text target, and this estimator needs numbers. Write it as numbers "
    "there, for instance 0 and 1.",
    "error": "failed in this round. The logger 'fedps.client' there has the reason at level ERROR.",
}
