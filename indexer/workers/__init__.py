"""Jobs → results, in this process, by processes of this machine or by a Ray cluster; what jobs do is not known here."""
