export default { title: 'Lighthouse', url: 'https://example.org', baseUrl: '/' };
