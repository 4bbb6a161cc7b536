#!/usr/bin/env python3
"""Measures regard, PyTorch and CTranslate2 in turn, and prints the figures as tables.

CORPUS_DIR (or the variable REGARD_CORPUS) holds a parallel corpus in subwords: train.en, train.de and
test_2016_flickr.en. If PyTorch or CTranslate2 is missing, its columns stay empty; without PyTorch, regard makes the
batches. All programs run on the same two processors with two threads, in turn (A, B, C, A, B, C, ...), so that other
work of the machine slows them equally. If bfloat16 or torch.compile fails on this machine, its figure is "-", and the
reason is below the table. Without products in int8, its rows are left out.

The main table of README, in 15 minutes, and the same for a processor that has AVX2 and no more:

  apps/bench/compare.py CORPUS_DIR --without bfloat16,compiled,one-thread --only tiny-training,base-training,\
      recurrent,tiny-translation
  apps/bench/compare.py CORPUS_DIR --instructions avx2 ...
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time
import typing

from turns import Turns, find, ratio, say, table

HERE = pathlib.Path(__file__).resolve().parent

# The search of both programs. Briefly trained models translate poorly, and a few translations do not end. The same
# limit on the length keeps these few from dominating the figures. The longest reference has 35 tokens.
SEARCH = {"regard": "--length-penalty power --alpha 1 --max-length-ratio 0 --max-length-constant 50",
          "ctranslate2": "--alpha 1 --max-length 50"}

# base is pre-norm, because a post-norm model has not learnt to end a sentence after so few steps.
BRIEF_TRAINING = {
    "tiny": "training.batch_tokens=1024 validation.metric=loss training.epochs=3 training.warmup_steps=400",
    "base": "training.batch_tokens=1024 validation.metric=loss model.preset=base model.norm=pre model.dropout=0.1 "
            "training.epochs=0 training.steps=300 training.learning_rate=0.001 training.warmup_steps=100"}


class Training(typing.NamedTuple):
    """Models that regard and PyTorch train in turn, which make one table."""
    kind: str     # "tokens/s" or "ms per step"
    task: str     # options of both programs
    steps: tuple  # that are measured, and the warm-up before them
    models: dict  # name: options of regard, options of PyTorch
    peers: dict   # column: options of PyTorch, or of regard if the name begins with "regard"


FLOAT32 = {"PyTorch, eager": ""}
COMPILED = FLOAT32 | {"PyTorch, bfloat16": "--bfloat16", "PyTorch, compiled": "--compile",
                      "regard, bfloat16": "--set training.precision=bfloat16 --threads 2"}
GRU = {"none": "--preset cho2014 --set model.attention.fixed_context=false",
       "luong": "--preset luong2015 --set model.cell=gru --set model.attention.input_feeding=false",
       "bahdanau": "--preset bahdanau2015"}
TRAININGS = {
    "tiny-training": Training("tokens/s", "--dropout 0.3 --preset tiny", (20, 5), {"tiny": ("", "")}, COMPILED),
    "base-training": Training("tokens/s", "--dropout 0.1 --preset base", (4, 1), {"base": ("", "")},
                              COMPILED | {"regard, one thread": "--threads 1"}),
    "recurrent": Training("tokens/s", "--dropout 0.3", (10, 3), {
        f"{kind}, {width}": (f"{preset} --set model.d_model={width} --set training.gradient_clip_norm=1",
                             f"--preset {kind} --width {width} --clip-norm 1")
        for width in (256, 64) for kind, preset in GRU.items()}, FLOAT32),
    "captions": Training("ms per step", "--image-size 64 --batch-images 32", (20, 3),
                         {preset: (f"--preset {preset}",) * 2 for preset in ("xu2015", "vit")},
                         FLOAT32 | {"PyTorch, channels_last": "--channels-last"})}
PRECISIONS = ("float32", "int8")  # of translations
GREEDY = {2: "greedy", 1: "greedy, one thread"}  # by the number of threads
COLUMNS = ("bfloat16", "compiled", "one-thread", "int8")  # that --without leaves out
# The columns of README: with these variables, no program uses other instructions.
INSTRUCTIONS = {name: {"REGARD_SIMD": simd, "OPENBLAS_CORETYPE": core, "CT2_FORCE_CPU_ISA": simd.upper(),
                       "ATEN_CPU_CAPABILITY": simd, "MKL_ENABLE_INSTRUCTIONS": simd.upper(), "ONEDNN_MAX_CPU_ISA": onednn}
                for name, simd, core, onednn in (("avx2", "avx2", "Haswell", "AVX2"),
                                                 ("avx512", "avx512", "SkylakeX", "AVX512_CORE"),
                                                 ("avx512-bf16", "avx512", "SkylakeX", "AVX512_CORE_BF16"))}
PARTS = [*TRAININGS, "tiny-translation", "base-translation", "start"]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("corpus", metavar="CORPUS_DIR", nargs="?", default=os.environ.get("REGARD_CORPUS"))
    add("--runs", type=int, default=5, metavar="N", help="each figure is the median of this many runs; default 5")
    add("--only", type=lambda text: text.split(","), default=PARTS, metavar="PART,...",
        help=f"some of: {' '.join(PARTS)}; the tables also show the figures of earlier runs, which are kept in --work")
    add("--instructions", choices=INSTRUCTIONS, help="keep all programs to these instructions; default: what each finds")
    add("--without", type=lambda text: text.split(","), default=[], metavar="COLUMN,...",
        help=f"leave out some of: {' '.join(COLUMNS)}")
    add("--quick", action="store_true", help="one run of few steps, to test that all works; its figures mean little")
    add("--regard", default="build/apps/regard/regard", metavar="PROGRAM", help="default build/apps/regard/regard")
    add("--peers", default="build/peers/bin/python", metavar="PYTHON", help="a Python with PyTorch or CTranslate2; "
        "default build/peers/bin/python (apps/bench/setup_peers.sh)")
    for preset in BRIEF_TRAINING:
        add(f"--{preset}-model", type=pathlib.Path, metavar="DIR",
            help="a model to translate with; default: a model that is trained briefly and kept in --work")
    add("--work", type=pathlib.Path, default="build/compare", help="for models and logs; default build/compare")
    add("--cpus", default="0,1", metavar="A,B", help="the two processors to run on; default 0,1")
    given = parser.parse_args()
    given.runs = 1 if given.quick else given.runs
    if given.runs < 1:
        parser.error(f"--runs {given.runs}: give a number of at least 1")
    for part in given.only:
        if part not in PARTS:
            parser.error(f"--only {part}: there is no such part")
    for column in given.without:
        if column not in COLUMNS:
            parser.error(f"--without {column}: there is no such column; give some of {' '.join(COLUMNS)}")
    if not given.corpus:
        parser.error("give the directory of the corpus")
    for file in ("train.en", "train.de", "test_2016_flickr.en"):
        if not os.path.isfile(f"{given.corpus}/{file}"):
            parser.error(f"there is no {given.corpus}/{file}")
    if not os.access(given.regard, os.X_OK):
        parser.error(f"there is no program {given.regard}; build it, or give --regard PROGRAM")
    return given


class Comparison(Turns):
    def __init__(self, options):
        super().__init__(options.work, options.cpus, options.runs, options.only != PARTS)
        self.options, self.batch_tokens = options, {}
        self.has_torch, self.has_ctranslate2 = (
            os.access(options.peers, os.X_OK) and self.run([options.peers, "-c", f"import {module}"])[0] == 0
            for module in ("torch", "ctranslate2"))
        has_int8 = "int8" not in options.without and "int8         no" not in self.run([options.regard, "--version"])[1]
        self.precisions = PRECISIONS if has_int8 else PRECISIONS[:1]
        self.train = {"source": f"{options.corpus}/train.en", "target": f"{options.corpus}/train.de"}
        test = pathlib.Path(options.corpus, "test_2016_flickr.en").read_text(encoding="utf-8").splitlines(keepends=True)
        self.source = {"tiny": self.work / "sentences", "base": self.work / "few_sentences"}
        for preset, most in (("tiny", len(test)), ("base", 200)):  # base takes 20 times longer per sentence
            self.source[preset].write_text("".join(test[:100 if options.quick else most]), encoding="utf-8")

    def peers(self, training):
        left_out = tuple(column.replace("-", " ") for column in self.options.without)
        return [(name, options) for name, options in training.peers.items() if not (left_out and name.endswith(left_out))]

    def measure_training(self, part, training):
        """Trains the models with regard and PyTorch in turn, on the same batches."""
        pytorch = [self.options.peers, HERE / "pytorch_train.py"]
        task, batches = training.task.split(), []
        if part != "captions":
            task += ["--source", self.train["source"], "--target", self.train["target"]]
            if self.has_torch:  # PyTorch cuts the batches, for a padded model
                batches = ["--batches", self.work / "batches"]
                self.run_or_end([*pytorch, *task, *batches, "--steps", 1, "--warmup-steps", 0])
        steps, warmup = (1, 1) if self.options.quick else training.steps
        task += ["--steps", steps, "--warmup-steps", warmup]
        jobs = {}
        for model, (ours, theirs) in training.models.items():
            regard = [self.options.regard, "bench", "train", *ours.split(), *batches, *task]
            jobs[f"{model}/regard"] = [*regard, "--threads", 2]
            for peer, extra in self.peers(training):
                if peer.startswith("regard"):
                    jobs[f"{model}/{peer}"] = [*regard, *extra.split()]
                elif self.has_torch:
                    jobs[f"{model}/{peer}"] = [*pytorch, *theirs.split(), *extra.split(), *task, "--threads", 2]
        self.take_turns(part, jobs, ("bfloat16", "compiled"))

    def print_training(self, part, training):
        rows, reasons = [], []
        for model in training.models:
            ours = self.median(f"{model}/regard", training.kind)
            row = [model, ours]
            for peer, _ in self.peers(training):
                name = f"{model}/{peer}"
                theirs = self.median(name, training.kind)
                row += [theirs or ("-" if name in self.failures else ""),
                        ratio(theirs, ours) if training.kind == "ms per step" else ratio(ours, theirs)]
                reasons += [f"{name}: {self.failures[name]}."] if name in self.failures else []
            shares = [f"{self.median(f'{model}/regard', number)} %" for number in ("share", "batching")]
            memory = [self.median(f"{model}/{program}", "memory")
                      for program in ("regard", "regard, bfloat16", "PyTorch, eager")]
            rows.append([*row, *shares, *memory])
        peers = [cell for peer, _ in self.peers(training) for cell in (peer, "ratio")]
        table([f"{part}, {training.kind}", "regard", *peers, "share of the floor", "making a batch", "peak memory, GB",
               "in bfloat16", "PyTorch's"], rows)
        for reason in reasons:
            print(reason, end="\n\n")

    def model(self, preset):
        """The model to translate with. Trains it if it was neither given nor trained by an earlier run."""
        model = getattr(self.options, f"{preset}_model") or self.work / preset
        if not (model / "weights.safetensors").is_file():
            say(f"training a {preset} model for some minutes, to translate with")
            settings = [*BRIEF_TRAINING[preset].split(), *(f"data.{side}={path}" for side, path in self.train.items())]
            self.run_or_end([self.options.regard, "train", HERE.parent / "configs/multi30k-tiny.json", "--out", model,
                             "--overwrite", *(word for setting in settings for word in ("--set", setting))])
        return model

    def fastest_batch(self, command):
        """The source tokens in a batch with which a program translates fastest."""
        if self.options.quick:
            return 2048
        speed = {}
        for size in (512, 1024, 2048, 4096, 8192):
            _, output = self.run([*command, "--source", self.source["base"], "--beam", 5, "--batch-tokens", size])
            speed[size] = float(find("sentences/s", output) or 0)
        return max(speed, key=speed.get)

    def measure_translation(self, preset, precision):
        model, task = self.model(preset), ["--runs", 1, "--precision", precision]
        label = f"{preset} {precision}"
        programs = {"regard": [self.options.regard, "bench", "translate", model, *SEARCH["regard"].split(), *task]}
        for ways in (1, 2) if self.has_ctranslate2 else ():
            programs[f"ctranslate2 {ways}"] = [self.options.peers, HERE / "ctranslate2_translate.py", model, *task,
                                               *SEARCH["ctranslate2"].split(), "--batches-at-a-time", ways,
                                               "--regard", self.options.regard]
        say(f"{label}: trying batch sizes")
        jobs = {}
        for program, command in programs.items():
            size = self.batch_tokens[f"{label}, {program}"] = self.fastest_batch([*command, "--threads", 2])
            text = self.work / f"{label}.{program.split()[0]}"
            command += ["--source", self.source[preset]]
            jobs[f"{label} beam 5/{program}"] = [*command, "--beam", 5, "--batch-tokens", size, "--threads", 2,
                                                  "--output", f"{text}.beam 5"]
            for threads in () if program == "ctranslate2 2" else (2,) if "one-thread" in self.options.without else (2, 1):
                search = GREEDY[threads]
                jobs[f"{label} {search}/{program}"] = [*command, "--beam", 1, "--one-at-a-time", "--threads", threads,
                                                        "--output", f"{text}.{search}"]
        self.take_turns(label, jobs)

    def measure_start(self):
        """Measures the time from the start of the process to its first translation."""
        command = ["taskset", "-c", self.cpus, self.options.regard, "translate", self.model("tiny"), "--threads", "2"]
        sentence, times = self.source["tiny"].read_bytes().splitlines(keepends=True)[0], []
        for _ in range(20):
            begin = time.perf_counter()
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                process.stdin.write(sentence)
                process.stdin.close()
                if not process.stdout.readline().strip():
                    sys.exit("compare.py: regard translated nothing")
                times.append(f"{1e3 * (time.perf_counter() - begin):.1f}")
        self.figures["start"] = {"latency": times}

    def print_translation(self):
        rows = []
        for label in (f"{preset} {precision}" for preset in ("tiny", "base") for precision in self.precisions):
            ways = max((1, 2), key=lambda n: float(self.median(f"{label} beam 5/ctranslate2 {n}", "sentences/s") or 0))
            for search, number, theirs in (("beam 5", "sentences/s", ways), ("beam 5", "translated", ways),
                                           *((search, "latency", 1) for search in GREEDY.values())):
                a = self.median(f"{label} {search}/regard", number)
                b = self.median(f"{label} {search}/ctranslate2 {theirs}", number)
                if not a:
                    continue
                unit = {"translated": "tokens/s", "latency": "one sentence at a time, ms"}.get(number, number)
                same = ""
                if b:
                    ours, other = ((self.work / f"{label}.{program}.{search}").read_text(encoding="utf-8").splitlines()
                                   for program in ("regard", "ctranslate2"))
                    same = f"{100 * sum(map(str.__eq__, ours, other)) / len(ours):.1f} %"
                rows.append([f"{label}, {search}, {unit}", a, b, str(theirs) if b else "", ratio(a, b), same])
        rows.append(["tiny, start of `regard translate` to the first sentence, ms", self.median("start", "latency"),
                     "", "", "", ""])
        table(["translation", "regard", "CTranslate2", "its batches at a time", "ratio", "same translations"], rows)
        sizes = "; ".join(f"{name} {size}" for name, size in self.batch_tokens.items())
        print(f"Source tokens in a batch{'' if self.options.quick else ', the fastest of 512 to 8192'}: {sizes}.")

    def print_all(self):
        version = [" ".join(line.split()) for line in self.run([self.options.regard, "--version"])[1].splitlines()]
        print(f"Processors {self.options.cpus}, two threads; medians of {self.options.runs} runs.", "; ".join(version),
              end=".\n\n")
        if self.options.instructions:
            print(f"All programs keep to {self.options.instructions}:", " ".join(
                f"{name}={value}" for name, value in INSTRUCTIONS[self.options.instructions].items()), end=".\n\n")
        for part, training in TRAININGS.items():
            if any(f"{model}/regard" in self.figures for model in training.models):
                self.print_training(part, training)
        if any("beam 5/" in name or name == "start" for name in self.figures):
            self.print_translation()


def main():
    # Variables for threads and kernels would change the programs unequally. A value of OPENBLAS_CORETYPE takes
    # precedence over the choice of OpenBLAS and regard, and may name slow kernels.
    of_kernels = ("OPENBLAS_", "MKL_", "OMP_", "KMP_", "REGARD_SIMD", "CT2_", "ATEN_", "ONEDNN_", "DNNL_")
    for name in [name for name in os.environ if name.startswith(of_kernels)]:
        del os.environ[name]
    os.environ["GOMP_SPINCOUNT"] = "10000"  # all use GNU OpenMP; waiting threads spin as long as regard's by default
    options = read_options()
    os.environ.update(INSTRUCTIONS.get(options.instructions, {}))
    comparison = Comparison(options)
    for part in [part for part in PARTS if part in options.only]:
        if part in TRAININGS:
            comparison.measure_training(part, TRAININGS[part])
        elif part == "start":
            comparison.measure_start()
        else:
            for precision in comparison.precisions:
                comparison.measure_translation(part.removesuffix("-translation"), precision)
    comparison.keep_figures()
    comparison.print_all()


if __name__ == "__main__":
    main()
