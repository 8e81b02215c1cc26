from tests.integration.test_pipeline import *
