/** How often a file of an output is asked for at its host. Faults of our own storage are the sweep's (`SweepSchedule`). */

/** `not_given`: its host answers, with something else than the file. `unreachable`: it may have the file, and not now. */
export type HostFault = "not_given" | "unreachable"

/** Before each try after the first, ms; the sweep that makes it may come a minute later. A file may come to a content delivery network a moment after its URL does. */
const delays: Readonly<Record<HostFault, ReadonlyArray<number>>> = {
  not_given: [2_000, 8_000],
  unreachable: [60_000, 120_000, 240_000]
}

/** Before the next try, ms; `null` when there is none. @param tries that were made again before, for whichever of the two. */
export const delay = (fault: HostFault, tries: number): number | null => delays[fault][tries] ?? null
