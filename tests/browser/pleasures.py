"""Eight pleasant things to compare."""

PLEASURES = [
    {"title": "A long walk", "text": "No destination, good shoes, and a coat with room for an apple."},
    {"title": "Rain on a tent", "text": "Inside, dry, with nothing to get up for."},
    {"title": "A letter from a friend"},
    {"title": "New socks"},
    {"title": "A window seat", "text": "On a train that is in no hurry."},
    {"title": "An empty beach"},
    {"title": "Crossing something off a list"},
    {"title": "Fresh bread, still warm"},
]
