"""An HTTP client of our own, from which the scripted author composes HttpEasy."""
