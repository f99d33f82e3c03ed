/** The origin of web pages, as browsers send it in `Origin`: `https://app.example` (Fetch standard, "`Origin` header"). */
import { Schema } from "effect"

const host = "(?:[a-z0-9_][a-z0-9_.-]{0,252}|\\[[0-9a-f:.]{2,45}\\])"

/** Browsers omit the default port. Programs that show pages have schemes of their own, such as `capacitor://localhost`. */
const form = new RegExp(
  `^(?:http://${host}(?!:80$)|https://${host}(?!:443$)|(?!https?:|file:|data:|blob:|javascript:)[a-z][a-z0-9+.-]{0,30}://${host})(?::[1-9][0-9]{0,4})?$`,
  "u"
)

export const Origin = Schema.String.check(
  Schema.makeFilter((text: string) => form.test(text), {
    expected: "an origin of the form https://app.example, in lower case, without a path and a default port"
  })
).pipe(Schema.brand("Origin"))
export type Origin = typeof Origin.Type
