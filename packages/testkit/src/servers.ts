export { testServers, type TestServers } from './config';
