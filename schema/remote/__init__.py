"""Indexes in an object store, and the local folders by which the rest of the program knows them."""
