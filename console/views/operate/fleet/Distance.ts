/** How far a read model is on its way to the end of the log. */
export interface Distance {
  readonly position: string
  /** Events of the log that are not applied yet. */
  readonly behind: number
}

/** From 0 to 1. Positions of SQLite count events; those of NATS have gaps, and are near enough. `null` counts as done. */
export const fractionOf = (distance: Distance | null): number => {
  if (distance === null) return 1
  const done = Number.parseInt(distance.position, 10)
  return done + distance.behind === 0 ? 1 : done / (done + distance.behind)
}
