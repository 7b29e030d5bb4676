"""
Hospitals
=========

Test.
"""

import fedps

print(fedps.supported())
