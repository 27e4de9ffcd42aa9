/** Computes a value at its first use. */
export function lazy<Value>(compute: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: compute() }
    return made.value
  }
}

/** Computes a value once for each object, and forgets it with the object. */
export function remembered<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const value = compute(key)
    known.set(key, value)
    return value
  }
}
