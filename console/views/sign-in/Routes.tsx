/** The route of the sign-in. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { rootRoute } from "#console/app/Root.tsx"
import { localPath } from "./Destination.ts"

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "sign-in",
  /** `to`: the view that was asked for, a path below the console. */
  validateSearch: (search: Record<string, unknown>): { readonly to?: string } => {
    const to = localPath(search["to"])
    return to === undefined ? {} : { to }
  },
  component: lazyView(() => import("./SignInView.tsx"), "SignInView")
})

export const signInRoutes = [signInRoute] as const
