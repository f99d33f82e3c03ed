/** The attack suite has a short form in `npm run test:all` and a long form in `npm run test:attacks`. */
export const isLong: boolean = process.env["ATTACKS"] === "long"

/** The number of connections, bodies or rounds for this form. */
export const figure = ({ short, long }: { readonly short: number; readonly long: number }): number =>
  isLong ? long : short
