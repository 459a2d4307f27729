# Typesets forms from stdin to stdout as PDFs. Arguments: the folder of the package typst, and the template.
import json
import os
import struct
import sys

os.environ["RAYON_NUM_THREADS"] = "1"
sys.path.append(sys.argv[1])
import typst  # noqa: E402


def read():
    head = sys.stdin.buffer.read(4)
    return sys.stdin.buffer.read(struct.unpack(">I", head)[0]) if len(head) == 4 else None


def typeset(job):
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=job["folders"])
    families = {(font.path, font.index): font.family for font in fonts.fonts()}
    names = [families[face["path"], face["index"]] for face in job["faces"]]
    files = {"main": sys.argv[2].encode(), "data.json": read()}
    for i in range(job["images"]):
        files[f"{i}.svg"] = read()
    compiler = typst.Compiler(files, font_paths=fonts, ignore_system_fonts=True, sys_inputs={"fonts": json.dumps(names)})
    return compiler.compile(format="pdf", pdf_standards="ua-1", timestamp=job["created"])


try:
    while (head := read()) is not None:
        pdf = typeset(json.loads(head))
        sys.stdout.buffer.write(struct.pack(">I", len(pdf)) + pdf)
        sys.stdout.buffer.flush()
except typst.TypstError as error:
    # The rest of a message may quote the form.
    sys.exit(error.message.split("`")[0])
