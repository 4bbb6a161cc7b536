#!/usr/bin/env python3
"""Tests the page of `regard explore` in headless Chromium.
    tests/apps/explore/browser/run.py REGARD [-k PART_OF_A_NAME]      REGARD is the program
Ends with 77 if Selenium, Chromium or chromedriver is not installed; ctest then says "Skipped"."""

import sys
import unittest

sys.dont_write_bytecode = True

SKIPPED = 77


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        import support
    except ModuleNotFoundError as error:
        print(f"skipped: {error}; third_party/install.sh --dev installs python3-selenium")
        sys.exit(SKIPPED)
    if support.find_browser() is None:
        print("skipped: chromium and chromedriver are not installed; third_party/install.sh --dev installs them")
        sys.exit(SKIPPED)
    with support.Context(sys.argv.pop(1)) as support.context:
        import attention_test, captions_test, compare_test, saved_page_test, search_test, training_test, translate_test, words_test
        loader = unittest.TestLoader()
        if "-k" in sys.argv:
            loader.testNamePatterns = [f"*{sys.argv[sys.argv.index('-k') + 1]}*"]
        suite = unittest.TestSuite(loader.loadTestsFromModule(module) for module in
                                   (translate_test, attention_test, captions_test, compare_test, search_test,
                                    training_test, words_test, saved_page_test))
        result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
