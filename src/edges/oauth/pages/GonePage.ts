/** The page for a sign-in that has expired, has ended, or began in another browser. */
import * as ErrorPage from "./ErrorPage.ts"

export const page = ErrorPage.render({
  title: "This sign-in is over",
  paragraphs: [
    "It took too long, has ended already, or was begun in another browser. A browser that keeps no cookies for this site cannot sign in either.",
    "Go back to your assistant and connect again from there."
  ]
})
