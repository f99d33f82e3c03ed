/** Signs browsers in to the console, by the route that its page calls. */
import type { Browser, BrowserContext } from "playwright-core"
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

const signInAlone = async (browser: Browser, world: SignedIn, who: Person): Promise<Cookies> => {
  const context = await browser.newContext()
  await signIn(context, world, who)
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

/** Their sign-ins are on the log, and shown: all sign in when the first does, in this order. */
const recorded: ReadonlyArray<Person> = ["operator", "owner", "auditor"]

const begin = (browser: Browser, world: SignedIn, who: Person): void => {
  if (!recorded.includes(who)) sessions.set(who, signInAlone(browser, world, who))
  else
    recorded.reduce<Promise<unknown>>((last, one) => {
      const session = last.then(() => signInAlone(browser, world, one))
      sessions.set(one, session)
      return session
    }, Promise.resolve())
}

/** Each person signs in once in a run, because sign-ins are limited. */
export const resume = async (context: BrowserContext, world: SignedIn, who: Person): Promise<void> => {
  const browser = context.browser()
  if (browser === null) throw new Error("The browser has been closed")
  if (!sessions.has(who)) begin(browser, world, who)
  await context.addCookies((await sessions.get(who)) ?? [])
}
