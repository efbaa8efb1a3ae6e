"""The expert syntax of Chinese databases (CNKI, Wanfang, VIP), read by `parser.py`.

Nothing is imported here: `detect.py` needs only the names of the fields.
"""
