"""The governed domain model: types of entities, relations and attributes, and the words that express them."""
