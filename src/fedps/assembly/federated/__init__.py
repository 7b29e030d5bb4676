"""Fitted estimators that know the rows of the clients, or still ask for them."""
