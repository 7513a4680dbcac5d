"""Case studies of eGoT (sections 3.2 and 3.3) as corpora, questions and conditions that anybody can run."""
