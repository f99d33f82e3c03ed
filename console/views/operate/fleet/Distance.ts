/** How far a read model or a copy of it is on its way to the end of the log. */
export interface Distance {
  readonly position: string
  /** Events of the log that are not applied yet. */
  readonly behind: number
}

/** From 0 to 1. Positions of SQLite count events; those of NATS have gaps, and are near enough. */
export const fractionOf = ({ behind, position }: Distance): number => {
  const done = Number.parseInt(position, 10)
  return done + behind === 0 ? 1 : done / (done + behind)
}

interface Rebuilt {
  readonly name: string
  /** `null`: no copy is being built. */
  readonly rebuild: Distance | null
}

/**
 * The progress of a rebuild, from 0 to 1: that of the slowest copy. `null` while no copy is being built.
 *
 * @param name `null`: all.
 */
export const rebuiltFraction = (models: ReadonlyArray<Rebuilt>, name: string | null): number | null => {
  const fractions = models.flatMap((model) =>
    model.rebuild !== null && (name === null || name === model.name) ? [fractionOf(model.rebuild)] : []
  )
  return fractions.length === 0 ? null : Math.min(...fractions)
}
