"""The protocol of pazpar2, as pz2.js, MKWS and other front-ends speak it
(https://software.indexdata.com/pazpar2/doc/pazpar2_protocol.html): a session, a search that goes
on in the background, and commands that read its list so far.
"""
