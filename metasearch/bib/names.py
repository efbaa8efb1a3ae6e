"""Names of people and of bodies, as databases, catalogues and files write them.

    words.py, roles.py   the tables: particles, degrees, "et al.", words of bodies, relators
    person.py            one written name -> an `Author`
    bodies.py            whether a name with a comma is a body's
    headings.py          names in catalogue headings (MARC 1XX and 7XX)
    byline.py            several names in one string
    converters.py        the converters of `authors` and `editors`, which specs name

Chinese names have their own room (`metasearch.bib.chinese`) and take their tables from here.
"""
