/** Whether the texts differ by one wrong, missing or additional letter, or by two swapped neighbours. */
export const isOneEditApart = (a: string, b: string): boolean => {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return Math.max(x.length, y.length) === 1 || (y.length === 2 && x === `${y[1]}${y[0]}`)
}

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** The name in `names` that `name` probably means: another spelling (`secret_env`), cut short, or one edit away. */
export const nearest = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const meant = letters(name)
  return (
    names.find((candidate) => letters(candidate) === meant) ??
    names.find((candidate) => isOneEditApart(letters(candidate), meant)) ??
    names.find((candidate) => {
      const other = letters(candidate)
      return Math.min(meant.length, other.length) > 3 && (other.startsWith(meant) || meant.startsWith(other))
    })
  )
}
