/** The suite of attacks has two forms: a short one, which is part of `npm test`, and the long one of `npm run test:attacks`. */
export const isLong: boolean = process.env["ATTACKS"] === "long"

/** The figure for this form: how many connections, bodies, rounds. */
export const figure = ({ short, long }: { readonly short: number; readonly long: number }): number =>
  isLong ? long : short
