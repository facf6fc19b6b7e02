"""Lays the paragraphs of a letter out in lines and places."""


def joined_lines(line_list):
    """Return the lines as one text, each with its end."""
    return "".join(f"{line_text}\n" for line_text in line_list)


def indented_line(line_text, indent_width):
    """Return the line behind some blanks."""
    return " " * indent_width + line_text


def address_lines(person_name, street_name, town_name):
    """Return the lines of an address that are not empty."""
    all_lines = [person_name, street_name, town_name]
    return [line_text for line_text in all_lines if line_text]


def signature_line(person_name, place_name):
    """Return who signs, and where."""
    signed_by = person_name.strip()
    signed_at = place_name.strip()
    return f"{signed_at}, {signed_by}" if signed_at else signed_by


def page_count(line_count, lines_per_page):
    """Return how many pages so many lines take."""
    full_pages, rest_lines = divmod(line_count, lines_per_page)
    return full_pages + (1 if rest_lines else 0)


def page_lines(line_list, page_number, lines_per_page):
    """Return the lines of one page."""
    first_line = (page_number - 1) * lines_per_page
    last_line = first_line + lines_per_page
    return line_list[first_line:last_line]


def widest_line(line_list):
    """Return how many letters the longest line has."""
    line_widths = [len(line_text) for line_text in line_list]
    return max(line_widths, default=0)


def centred_line(line_text, page_width):
    """Return the line in the middle of the page."""
    free_width = max(page_width - len(line_text), 0)
    left_width = free_width // 2
    return indented_line(line_text, left_width)
