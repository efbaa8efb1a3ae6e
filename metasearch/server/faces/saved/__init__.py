"""Saved searches: their pages, their JSON interface, their feeds, and what ends their e-mails.

A saved search belongs to a user, "" on a server without users. What is not there and what is
somebody else's is the same 404.
"""
