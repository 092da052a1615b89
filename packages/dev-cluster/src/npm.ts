/**
 * Whether npm has put its own lines before the output of this program, which a script of the package cannot prevent: as
 * a script of `npm run`, unless `-s` was said.
 */
export const npmSpokeFirst = (env: NodeJS.ProcessEnv): boolean =>
  env['npm_lifecycle_event'] !== undefined &&
  env['npm_config_user_agent']?.startsWith('npm/') === true &&
  env['npm_config_loglevel'] !== 'silent'
