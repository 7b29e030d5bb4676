"""The rules of a policy: what each looks at, and the gate that refuses."""
