"""Writes documents with openpyxl, python-docx and python-pptx, and with each the texts to find in it and not to find."""

import datetime
import json
import pathlib
import sys

import docx
import openpyxl
import pptx
from docx.shared import Pt
from openpyxl.comments import Comment
from pptx.util import Inches

HEBREW, ARABIC, CHINESE, ACCENTS = "שלום עולם", "مرحبا بالعالم", "合同编号 第七条", "Zoë Łukaszewicz, Ærøskøbing"
folder = pathlib.Path(sys.argv[1])
wanted = {}


def word():
    document = docx.Document()
    section = document.sections[0]
    section.different_first_page_header_footer = True
    section.header.paragraphs[0].text = "Header of all pages"
    section.first_page_header.paragraphs[0].text = "Header of the first page"
    section.footer.paragraphs[0].text = "Footer of all pages"
    document.add_heading("Contract", 0)
    paragraph = document.add_paragraph("Party: ")
    paragraph.add_run("Zoë ").bold = True
    paragraph.add_run("Łukaszewicz, Ærøskøbing")
    for text in HEBREW, ARABIC, CHINESE:
        document.add_paragraph(text)
    document.add_paragraph("first\tsecond\nthird line")
    document.add_comment(paragraph.runs[0], text="Comment of a reviewer", author="Bob")
    table = document.add_table(rows=3, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Merged columns"
    table.cell(1, 2).merge(table.cell(2, 2)).text = "Merged rows"
    table.cell(0, 2).text, table.cell(1, 0).text, table.cell(2, 1).text = "right", "left", "low"
    inner = table.cell(1, 1).add_table(1, 1)
    inner.cell(0, 0).text = "Nested cell"
    header = document.add_section().header
    header.is_linked_to_previous = False
    header.paragraphs[0].text = "Header of section 2"
    document.save(folder / "python.docx")
    wanted["python.docx"] = {"has": [
        "Header of all pages", "Header of the first page", "Footer of all pages", "Contract", f"Party: {ACCENTS}", HEBREW, ARABIC, CHINESE,
        "first second\nthird line", "Merged columns", "Merged rows", "right", "left", "low", "Nested cell",
    ], "not": ["Comment of a reviewer"]}


def excel():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Löhne 合同"
    sheet.append(["Name", "Amount", "Day", "Moment", "Time", "Share", "Yes", "Length"])
    sheet.append([
        ACCENTS, 1234.5, datetime.date(2026, 3, 1), datetime.datetime(2026, 3, 1, 14, 5, 0), datetime.time(8, 30, 0), 0.19, True,
        datetime.timedelta(hours=26, minutes=30),
    ])
    sheet["F2"].number_format = "0.00%"
    sheet["A3"], sheet["B3"], sheet["C3"] = HEBREW, ARABIC, CHINESE
    sheet["D3"] = datetime.date(1900, 1, 31)
    sheet["A4"] = "=1+1"
    sheet["E3"] = "two\nlines"
    sheet["A5"] = "Merged"
    sheet.merge_cells("A5:C6")
    sheet["A5"].comment = Comment("Comment of a reviewer", "Bob")
    sheet.oddHeader.center.text = "Header of the sheet"
    sheet.oddFooter.left.text = "Footer &P of the sheet"
    other = book.create_sheet("Second")
    other["B2"] = "on the second sheet"
    book.save(folder / "python.xlsx")
    has = [
        "Löhne 合同", f"{ACCENTS} | 1234.5 | 2026-03-01 | 2026-03-01 14:05:00 | 08:30:00 | 0.19 | TRUE | 26:30:00", HEBREW, ARABIC, CHINESE,
        "1900-01-31", "two\nlines", "Merged", "Header of the sheet", "Second", "on the second sheet",
    ]
    wanted["python.xlsx"] = {"has": has, "not": ["Comment of a reviewer"]}
    book.iso_dates = True
    book.save(folder / "iso.xlsx")
    wanted["iso.xlsx"] = {"has": ["2026-03-01T14:05:00"]}
    stream = openpyxl.Workbook(write_only=True)
    stream.create_sheet("Stream").append(["inline", ACCENTS])
    stream.save(folder / "stream.xlsx")
    wanted["stream.xlsx"] = {"has": [f"inline | {ACCENTS}"]}
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.iso_dates = False
    book.save(folder / "mac.xlsx")
    wanted["mac.xlsx"] = {"has": ["2026-03-01 14:05:00"]}


def powerpoint():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = f"Title {ACCENTS}"
    slide.placeholders[1].text = f"{HEBREW}\n{ARABIC}\n{CHINESE}"
    slide.notes_slide.notes_text_frame.text = "Spoken notes"
    box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1))
    box.text_frame.text = "In a text box"
    box.text_frame.add_paragraph().text = "its second paragraph"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1)).text_frame.text = "In a group"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(2)).table
    table.cell(0, 0).text = "Merged cell"
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(1, 0).text, table.cell(1, 1).text = "low left", "low right"
    deck.save(folder / "python.pptx")
    wanted["python.pptx"] = {"has": [
        f"Title {ACCENTS}", f"{HEBREW}\n{ARABIC}\n{CHINESE}", "Spoken notes", "In a text box\nits second paragraph", "In a group", "Merged cell",
        "low left | low right",
    ], "not": ["Click to"]}


word()
excel()
powerpoint()
(folder / "wanted.json").write_text(json.dumps(wanted, ensure_ascii=False))
