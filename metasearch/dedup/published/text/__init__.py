"""What the text strategies are built of: words and their parts of speech, sentences, document
frequencies, 64-bit signatures and where near ones lie.
"""
