"""Files of tensors: names that collide, and damaged files. The format is written and read here in a few lines."""

import json
import os
import tempfile
from math import prod
from pathlib import Path

import numpy

import regard

WIDTHS = {"F32": 4, "F64": 8}


def written(header, numbers):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + numbers


def keys_once(pairs):
    """A dict, unless a key occurs twice."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def read(data):
    """The tensors of a file by name, or ValueError (https://github.com/huggingface/safetensors#format)."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise ValueError("the header")
    numbers = data[8 + size:]
    header = json.loads(data[8:8 + size].decode(), object_pairs_hook=keys_once)
    metadata = header.pop("__metadata__", None)
    if metadata is not None and not (isinstance(metadata, dict) and all(isinstance(x, str) for x in metadata.values())):
        raise ValueError("the metadata")
    tensors, end = {}, 0
    for begin, last, name in sorted((*entry["data_offsets"], name) for name, entry in header.items()):
        dtype, shape = header[name]["dtype"], header[name]["shape"]
        if begin != end or last - begin != WIDTHS[dtype] * prod(shape) or min([0, *shape]) < 0:
            raise ValueError(f"the place of {name}")
        tensors[name] = numpy.frombuffer(numbers[begin:last], "<f" + str(WIDTHS[dtype])).reshape(shape)
        end = last
    if end != len(numbers):
        raise ValueError("the end")
    return tensors


def flat(value, *path):
    """The arrays in dicts by their paths."""
    if not isinstance(value, dict):
        return {path: value}
    return {way: x for key, each in value.items() for way, x in flat(each, *path, key).items()}


def same(found, expected):
    return found.keys() == expected.keys() and all(
        numpy.asarray(found[name]).dtype == x.dtype and numpy.shape(found[name]) == x.shape
        and numpy.asarray(found[name]).tobytes() == x.tobytes() for name, x in expected.items())


def some_array(draw):
    shape = tuple(draw.choice([0, 1, 1, 2, 3]) for _ in range(draw.randint(0, 3)))
    values = [draw.choice([draw.gauss(0, 1), 0.0, -0.0, numpy.inf, numpy.nan]) for _ in range(prod(shape))]
    return numpy.array(values, draw.choice(["float32", "float64"])).reshape(shape)


def names_come_back(draw):
    keys = ["a", "b", "a/b", "/", "", "1", 1, 2, "2", 1.0, "1.0", "None", None, "é", "e\u0301", "__metadata__", "\ud800",
            "a.b", " ", "\0", '"', "\\", "A", True, "True"]
    keys = draw.sample(keys, 12) if draw.random() < 0.5 else ["a", "b", "1", "", "é", "__metadata__", 2, "weight"]

    def some_dict(depth):
        return {draw.choice(keys): some_dict(depth - 1) if depth > 0 and draw.random() < 0.4 else some_array(draw)
                for _ in range(draw.randint(1, 4))}

    def is_wrong(value, top=True):
        if not isinstance(value, dict):
            return False
        names = [str(key) for key in value]
        return (len({*names}) < len(names) or any("/" in name or "\ud800" in name for name in names)
                or top and isinstance(value.get("__metadata__"), numpy.ndarray)
                or any(is_wrong(each, False) for each in value.values()))

    given = some_dict(3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        try:
            regard.save(given, path)
        except regard.Error:
            assert is_wrong(given), given
            assert not os.listdir(folder)
            return
        assert not is_wrong(given), given
        expected = flat(given)
        names = {way: "/".join(map(str, way)) for way in expected}
        assert same(read(path.read_bytes()), {names[way]: x for way, x in expected.items()})
        assert same(flat(regard.load_tensors(path)), {tuple(map(str, way)): x for way, x in expected.items()})


def damaged(draw):
    """A file, and often what is not one."""
    arrays = {name: some_array(draw) for name in draw.sample(["a", "b", "c", "a.b", "é", ""], draw.randint(0, 4))}
    header, numbers = {}, b""
    if draw.random() < 0.5:
        header["__metadata__"] = draw.choice([None, {}, {"x": "y"}, {"x": 1}, [], "x", {"x": None}, 3])
    for name, x in arrays.items():
        header[name] = {"dtype": {4: "F32", 8: "F64"}[x.itemsize], "shape": [*x.shape],
                        "data_offsets": [len(numbers), len(numbers) + x.nbytes]}
        numbers += x.tobytes()
    for _ in range(draw.choice([0, 0, 1, 1, 2])):
        entry = header[draw.choice([*arrays])] if arrays else None
        kind = draw.randrange(8) if entry else draw.randrange(2)
        if kind == 0:
            numbers += bytes(draw.choice([1, 4, 8]))
        elif kind == 1:
            numbers = numbers[:-draw.choice([1, 4])]
        elif kind == 2:
            entry["data_offsets"] = [x + draw.choice([-4, 4, 8]) for x in entry["data_offsets"]]
        elif kind == 3:
            entry["data_offsets"][draw.randrange(2)] += draw.choice([-8, -4, 4, 1])
        elif kind == 4:
            entry["shape"] = [*entry["shape"], draw.choice([1, 0, 2, -1])]
        elif kind == 5:
            entry["data_offsets"] = list(header[draw.choice([*arrays])]["data_offsets"])
        elif kind == 6:
            entry["dtype"] = draw.choice(["F32", "F64"])
        else:
            header = dict(draw.sample([*header.items()], len(header)))  # another order: no damage
    text = json.dumps(header, ensure_ascii=draw.random() < 0.5)
    text = draw.choice([text] * 6 + [text + "  ", text + "\n", " " + text, text + "\0", text + "x", text[:-1], "\ufeff" + text,
                                     text.replace('"a.b"', '"a"'), text.replace('"b"', '"\\u0061"')])
    data = written(text.encode(), numbers)
    return data[:draw.randrange(len(data))] if draw.random() < 0.05 else data


def files_are_read_as_the_format_says(draw):
    data = damaged(draw)
    try:
        expected = read(data)
    except (ValueError, TypeError, KeyError):
        expected = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        try:
            found = regard.load_tensors(path)
        except regard.Error:
            assert expected is None, data
            return
        assert expected is not None, data
        assert same(found, expected), data


PROPERTIES = {
    "names of tensors come back or are refused": (150, names_come_back),
    "files are read as the format says": (300, files_are_read_as_the_format_says),
}
