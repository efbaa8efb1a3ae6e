"""Tests of screening in teams."""
