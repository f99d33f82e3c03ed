/** The routes of webhooks: all deliveries, and one. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"
import { parse, parseAttempt } from "./WebhooksSearch.ts"

const webhooksRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "webhooks",
  validateSearch: parse,
  component: lazyView(() => import("./WebhooksView.tsx"), "WebhooksView")
})

const deliveryRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "webhooks/$deliveryId",
  validateSearch: parseAttempt,
  component: lazyView(() => import("./DeliveryView.tsx"), "DeliveryView")
})

export const webhooksRoutes = [webhooksRoute, deliveryRoute] as const
