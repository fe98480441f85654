/** The header that a browser must send with every change it makes by its session cookie: other sites cannot. */
export const sessionHeader = "x-slipway-dashboard";
