"""Whether a draft holds up, and the forms of an answer for people."""
