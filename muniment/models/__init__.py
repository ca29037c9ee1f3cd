"""The one gateway to language models: endpoints, egress rules, budgets, recorded answers."""
