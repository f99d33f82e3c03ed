/** Counters by key; those at 0 take no memory. */
export const make = () => {
  const counts = new Map<string, number>()
  const get = (key: string) => counts.get(key) ?? 0
  return {
    get,
    add: (key: string, change: number) => {
      const count = get(key) + change
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
    atLeast: (least: number) => [...counts].filter(([, count]) => count >= least).map(([key]) => key)
  }
}
