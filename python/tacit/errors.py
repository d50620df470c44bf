"""What tacit raises. The messages are those of the command-line tool."""


class Error(Exception):
    """Every failure of the library is one of these."""


class UsageError(Error, ValueError):
    """An option outside its range, or options that contradict each other."""


class DataError(Error, ValueError):
    """The content of the data, of a schema or of a file is not what it must be."""


class CellTypeError(DataError, TypeError):
    """Data of a type that is none of numbers; scikit-learn's own checks call this a TypeError."""


class NotFoundError(Error, FileNotFoundError):
    """A file that must be read does not exist."""


class WriteError(Error, OSError):
    """A file cannot be written in full."""


class BudgetError(Error, RuntimeError):
    """A charge does not fit the ledger's limit. Nothing was released."""


class InfeasibleError(Error, ValueError):
    """The method cannot run at this size or with these public values."""


class TooFewRecordsError(InfeasibleError):
    """There are too few records to choose sizes privately. Estimators turn it into a warning."""


class VerificationError(Error, RuntimeError):
    """A certificate or signature does not hold."""


class PrivacyWarning(UserWarning):
    """The certificate does not cover everything that was done with the records."""


class TooFewRecordsWarning(UserWarning):
    """There are too few records to learn their size privately; a model without that will be poor."""
