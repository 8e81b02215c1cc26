"""Files of other formats → Markdown, with the page or cell of each part; a limited process reads each file."""
