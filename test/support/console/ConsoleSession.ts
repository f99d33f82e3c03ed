/** Signs browsers in to the console, by the route that its page calls. */
import type { BrowserContext } from "playwright-core"
import type { Person, World } from "./World.ts"

type SignedIn = Pick<World, "keys" | "origin">

export const signIn = async (
  context: BrowserContext,
  { keys, origin }: SignedIn,
  who: Person
): Promise<void> => {
  const response = await context.request.post(`${origin}/console/session`, {
    data: { api_key: keys[who] },
    headers: { origin, "x-inferlog-console": "1" }
  })
  if (!response.ok()) throw new Error(`Sign-in of ${who}: ${response.status()} ${await response.text()}`)
}

type Cookies = Parameters<BrowserContext["addCookies"]>[0]
const sessions = new Map<Person, Promise<Cookies>>()

/** Each person signs in once in a run, because sign-ins are limited. */
export const resume = async (context: BrowserContext, world: SignedIn, who: Person): Promise<void> => {
  const session = sessions.get(who) ?? signIn(context, world, who).then(() => context.cookies())
  sessions.set(who, session)
  await context.addCookies(await session)
}
