/** Keeps values by name, up to so many bytes in all. The one that was asked for last is dropped last. */
type KeptBytes<Value> = {
  get(name: string): Value | undefined
  set(name: string, value: Value): void
  /** Of all that is kept. */
  readonly bytes: number
}

export function keptBytes<Value extends { readonly length: number }>(most: number): KeptBytes<Value> {
  const kept = new Map<string, Value>()
  let bytes = 0

  const drop = (name: string): void => {
    bytes -= kept.get(name)?.length ?? 0
    kept.delete(name)
  }

  return {
    get(name) {
      const value = kept.get(name)
      if (value && kept.delete(name)) kept.set(name, value)
      return value
    },
    set(name, value) {
      drop(name)
      kept.set(name, value)
      bytes += value.length
      for (const oldest of kept.keys()) {
        if (bytes <= most) return
        drop(oldest)
      }
    },
    get bytes() {
      return bytes
    },
  }
}
