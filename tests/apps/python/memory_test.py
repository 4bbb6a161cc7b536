"""Tensors and NumPy: memory, graphs that are released, threads."""

import gc
import os
import re
import resource
import subprocess
import sys
import threading

import numpy
import pytest

import cases
import regard


def test_arrays_of_any_layout():
    a = numpy.arange(24, dtype="float32").reshape(4, 6)
    for view in (a.T, a[::2, ::-1], a[:, 1], numpy.asfortranarray(a), a[:0]):
        assert (regard.tensor(view).numpy() == view).all() and regard.tensor(view).shape == view.shape
    assert regard.tensor([1, 2]).dtype == regard.tensor(3).dtype == regard.float32
    assert regard.tensor(a.astype(int), dtype="float64").dtype == regard.float64
    assert (regard.tensor(a.astype(">f4")).numpy() == a).all()


def test_views_share_memory_and_keep_it():
    x = regard.tensor(numpy.zeros((1000, 1000), "float32"), requires_grad=True)
    view = x.numpy()
    view[0, 0] = 5
    assert x[0, 0].item() == 5 and numpy.shares_memory(numpy.asarray(x.detach()), view)
    (x * x).sum().backward()
    gradient = x.grad.numpy()
    del x
    gc.collect()
    others = [regard.tensor(numpy.ones((1000, 1000), "float32")) for _ in range(4)]  # noqa: F841
    assert view[0, 0] == 5 and view.sum() == 5 and gradient[0, 0] == 10 and gradient.sum() == 10


def test_values_that_change_after_the_forward():
    x, w = regard.tensor([1.0, 2.0]), regard.tensor([3.0, 4.0], requires_grad=True)
    for written in (x, w, x.clone(), None):
        w.zero_grad()
        y = regard.sum(x * w)
        w.numpy(), numpy.asarray(x)  # reading changes nothing
        if written is not None:
            written.numpy()[:] *= 2
        if written is x or written is w:
            with pytest.raises(regard.Error, match="an input of 'multiply' was changed after the forward"):
                y.backward()
        else:
            y.backward()
            assert (w.grad.numpy() == x.numpy()).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_smallest_change_of_an_array_is_seen(dtype):
    w = regard.tensor(numpy.random.default_rng(1).normal(size=(2, 3)), dtype=dtype, requires_grad=True)
    array = w.numpy()

    def nothing():
        array[1, 2] *= 2
        array[1, 2] /= 2

    def last_bit():
        array[1, 2] = numpy.nextafter(array[1, 2], 9)

    def highest_bits():
        array[0] *= -1

    def swap():
        array[0, :2] = array[0, 1::-1].copy()

    for change in (nothing, last_bit, highest_bits, swap):
        loss = (w * w).sum()
        loss.backward(retain_graph=True)
        change()
        if change is nothing:
            loss.backward()
            continue
        with pytest.raises(regard.Error, match="was changed after the forward"):
            loss.backward()


def test_an_array_that_is_gone_is_not_asked():
    w = regard.tensor([1.0, 2.0], requires_grad=True)
    x = regard.tensor([3.0, 4.0])
    loss = (w + x).sum()  # its backward does not need x
    del x
    gc.collect()
    others = [regard.tensor([5.0, 6.0]) for _ in range(100)]  # noqa: F841
    loss.backward()
    assert w.grad.tolist() == [1, 1]


def test_the_array_of_a_result_is_watched():
    w = regard.tensor([1.0, 2.0], requires_grad=True)
    with regard.no_grad():
        free = w * 2
    for written in (w * w, free):
        loss = (written * w).sum()
        written.detach().numpy()[0] = 5
        with pytest.raises(regard.Error, match="was changed after the forward"):
            loss.backward()


def test_a_released_graph():
    x = regard.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert list(x.grad.numpy()) == [4, 8]
    with pytest.raises(regard.Error, match="released by an earlier backward"):
        y.backward()
    assert list(x.grad.numpy()) == [4, 8]
    x.zero_grad()
    assert x.grad is None
    with pytest.raises(regard.Error, match="create_graph=True asks for second derivatives, which regard does not"):
        (x * x).sum().backward(create_graph=True)
    assert x.grad is None
    (x * x).sum().backward(create_graph=False)
    x.zero_grad()
    with regard.no_grad():
        assert not (x * x).requires_grad
    assert (x * x).requires_grad


def test_no_leak_in_ten_thousand_backward_passes():
    w = regard.tensor(cases.numbers(16, 16), requires_grad=True)
    x = regard.tensor(cases.numbers(4, 16))

    def passes(count):
        for _ in range(count):
            scores = regard.where(w > 0, w, 0.0)  # its derivative is Python's
            regard.softmax((x @ scores).tanh()).max(axis=1).sum().backward()
            w.grad.numpy()
            w.zero_grad()
            try:
                x @ x
            except regard.Error:
                pass
        gc.collect()
        return regard.memory_in_use(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    engine, process = passes(1000)
    after, process_after = passes(10000)
    assert after == engine
    assert process_after - process < 2000  # kB; a leak of one array a pass would be 20 times as much


def test_backward_in_threads_that_share_a_tensor_loses_no_gradient():
    shared = regard.tensor(numpy.ones((128, 128)), requires_grad=True)

    def work():
        for _ in range(20):
            y = shared
            for _ in range(30):
                y = y + shared
            y.sum().backward()  # adds to shared.grad 31 times
            assert shared.grad[0, 0].item() % 1 == 0

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (shared.grad.numpy() == 4 * 20 * 31).all()


def test_results_do_not_depend_on_the_number_of_threads():
    x = regard.normal((300, 64), 0, 1, regard.Random(3))
    before, results = regard.threads(), []
    for threads in (1, 2, 3):
        regard.set_threads(threads)
        results.append(regard.attention(x, x, x, heads=4).numpy().tobytes())
    regard.set_threads(before)
    assert len(set(results)) == 1


@pytest.mark.parametrize("before, variables, said", [
    ("", {}, ""),
    ("import ctypes; ctypes.CDLL('libgomp.so.1')", {}, "import regard first, or set GOMP_SPINCOUNT=10000"),
    ("import ctypes; ctypes.CDLL('libgomp.so.1')", {"GOMP_SPINCOUNT": "7"}, "")])
def test_threads_that_wait_spin_briefly_or_python_warns(before, variables, said):
    environment = {key: value for key, value in os.environ.items() if key != "GOMP_SPINCOUNT"}
    environment |= {"OMP_DISPLAY_ENV": "verbose", **variables}
    done = subprocess.run([sys.executable, "-c", f"{before}\nimport regard, os; print('GOMP_SPINCOUNT' in os.environ)"],
                          env=environment, capture_output=True, text=True)
    count = re.search("GOMP_SPINCOUNT = '([0-9]+)'", done.stderr)
    if count is None:
        pytest.skip("the package is built with another OpenMP than GCC's")
    assert (count[1] == variables.get("GOMP_SPINCOUNT", "10000")) != bool(said)
    assert ("RuntimeWarning" in done.stderr) == bool(said) and said in done.stderr
    assert done.stdout.strip() == str(bool(variables))


def test_dlpack_with_pytorch():
    torch = pytest.importorskip("torch")
    x = regard.tensor(cases.numbers(3, 4), requires_grad=True)
    seen = torch.from_dlpack(x.detach())
    seen[0, 0] = 7
    assert x[0, 0].item() == 7
    assert (regard.from_dlpack(torch.arange(6.0).reshape(2, 3).T).numpy() == [[0, 3], [1, 4], [2, 5]]).all()
    q, k, v = (cases.numbers(5, 4) for _ in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v))).numpy()
    got = regard.attention(*map(regard.tensor, (q, k, v))).numpy()
    assert numpy.abs(got - expected).max() < 1e-12
