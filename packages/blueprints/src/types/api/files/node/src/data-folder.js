/** Where everything is kept: Slipway gives each application a folder that outlives its versions. */
export function dataFolder({ SLIPWAY_DATA_DIR, DATA_DIR }) {
  return SLIPWAY_DATA_DIR || DATA_DIR || "data";
}
