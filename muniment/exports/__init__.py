"""The graph of a generation for other programs and for the eye: Parquet, GraphML, Neo4j CSV, JSON-LD, HTML."""
